/** What is left of a value once it was written as JSON and read again: dates are text, functions are gone. */
export type JsonOf<Value> = Value extends string | number | boolean | null
  ? Value
  : Value extends { toJSON(): infer Written }
    ? JsonOf<Written>
    : Value extends (...args: never[]) => unknown
      ? never
      : Value extends readonly unknown[] | object
        ? { [Key in keyof Value]: JsonOf<Value[Key]> }
        : Value extends undefined
          ? undefined
          : unknown extends Value
            ? unknown
            : never;
