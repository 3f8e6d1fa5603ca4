/** The latest so many numbers, kept in order of size. Each `add` moves at most all of them: a few kB. */
export class LatestSorted {
  readonly #byAge: Float64Array;
  readonly #bySize: Float64Array;
  #count = 0;
  /** Where the oldest is once it is full, and where the next goes. */
  #next = 0;

  constructor(capacity: number) {
    this.#byAge = new Float64Array(capacity);
    this.#bySize = new Float64Array(capacity);
  }

  add(value: number): void {
    if (this.#count === this.#byAge.length) this.#remove(this.#byAge[this.#next] ?? 0);
    this.#byAge[this.#next] = value;
    this.#next = (this.#next + 1) % this.#byAge.length;
    const place = this.#placeOf(value);
    this.#bySize.copyWithin(place + 1, place, this.#count);
    this.#bySize[place] = value;
    this.#count += 1;
  }

  /** The smallest number that the given share of them does not exceed (nearest rank); undefined when there are none. */
  quantile(share: number): number | undefined {
    return this.#count === 0 ? undefined : this.#bySize[Math.max(0, Math.ceil(share * this.#count) - 1)];
  }

  #remove(value: number): void {
    this.#count -= 1;
    const place = this.#placeOf(value);
    this.#bySize.copyWithin(place, place + 1, this.#count + 1);
  }

  /** The first place whose number is not smaller. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bySize[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
