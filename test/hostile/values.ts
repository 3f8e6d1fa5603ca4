/** Values as expressions of SQL that no door of the product lets in: a restore, a program of another version or a person may have written them. */
const INSTANTS = [
  "'-infinity'",
  "'infinity'",
  "'4000-01-01 BC'",
  "'0001-01-01'",
  "'1969-12-31T23:59:59Z'",
  "'9999-12-31'",
  "'275760-09-14'",
  "'294276-12-31'",
];

const TEXTS = [
  "''",
  "repeat('x', 1000000)",
  "(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 300) n)",
  "E'\\u202e\\u0007\\ufffd'",
  "'__proto__'",
  "'{{payload.a}}'",
  "'{{'",
];

const DOCUMENTS = [
  "'null'",
  "'[]'",
  "'{}'",
  '\'"text"\'',
  "'-0.5'",
  "'1e400'",
  "'9007199254740993'",
  '\'{"__proto__": {"a": 1}, "constructor": 1}\'',
  "(repeat('[', 3000) || repeat(']', 3000))::jsonb",
  "to_jsonb(repeat('x', 1000000))",
];

const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  timestamptz: INSTANTS,
  text: TEXTS,
  jsonb: DOCUMENTS,
  int2: ['-32768', '32767'],
  int4: ['-2147483648', '2147483647', '0'],
  int8: ['-9223372036854775808', '9223372036854775807', '0'],
  float8: ["'NaN'", "'Infinity'", '-1e308'],
  bool: ['true', 'false'],
  uuid: ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
  _text: ["'{}'", "ARRAY[repeat('x', 100000)]", "ARRAY['', '@', ':', '+']"],
  _int8: ["'{}'", "'{-1,9223372036854775807}'"],
};

/** Those that a column of this type, as pg_type names it, can be given. */
export function hostileValues(type: string): readonly string[] {
  return BY_TYPE[type] ?? [];
}

/** Of each field of a JSON document, down to the second level, these. */
export const HOSTILE_FIELDS = [
  "'null'",
  "'[]'",
  "'{}'",
  '\'"text"\'',
  '\'"-271821-04-20T00:00:00Z"\'',
  "'-1'",
  "'1e300'",
  "'9007199254740993'",
  "to_jsonb(repeat('x', 100000))",
];
