import { readFileSync } from 'node:fs';

export interface Table {
  name: string;
  meaning: string;
  columns: Column[];
  /** The columns of its primary key and of its unique keys. */
  keys: string[][];
}

export interface Column {
  name: string;
  type: string;
  nullable: boolean;
  meaning: string;
}

/** The tables of prisma/schema.prisma, by name. */
export function readTables(): Table[] {
  const text = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8');
  const models = [...text.matchAll(/((?:^\/\/\/.*\n)*)^model (\w+) \{\n([\s\S]*?)^\}/gm)];
  const names = new Set(models.map(([, , name]) => name));
  return models
    .map(([, comment = '', , body = '']) => tableOf(comment, body, names))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function tableOf(comment: string, body: string, models: ReadonlySet<string | undefined>): Table {
  const fields = [...body.matchAll(/((?:^ {2}\/\/\/.*\n)*)^ {2}(\w+) +(\w+)(\("\w+"\))?(\[\])?(\?)?(.*)$/gm)]
    .map(([, meaning = '', field = '', type = '', of = '', list = '', optional = '', rest = '']) => ({
      ...{ field, type, rest, meaning: textOf(meaning), nullable: optional !== '' },
      column: mapped(rest) ?? field,
      shown: `${sqlType(type, of, rest)}${list}`,
    }))
    .filter(({ type }) => !models.has(type));
  const columnOf = (name: string) => fields.find(({ field }) => field === name.trim())?.column ?? name;
  const whole = [...body.matchAll(/^ {2}@@(?:id|unique)\(\[(.+?)\]/gm)].map(([, list = '']) => list.split(','));
  const single = fields.filter(({ rest }) => /@(id|unique)\b/.test(rest)).map(({ field }) => [field]);
  return {
    name: /^ {2}@@map\("(\w+)"\)/m.exec(body)?.[1] ?? '',
    meaning: textOf(comment),
    columns: fields.map(({ column, shown, nullable, meaning }) => ({ name: column, type: shown, nullable, meaning })),
    keys: [...single, ...whole].map((key) => key.map(columnOf)),
  };
}

function textOf(comment: string): string {
  return comment
    .replaceAll(/^\s*\/\/\/ ?/gm, '')
    .trim()
    .replaceAll('\n', ' ');
}

function mapped(rest: string): string | undefined {
  return /@map\("(\w+)"\)/.exec(rest)?.[1];
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  DateTime: 'timestamptz(3)',
  Json: 'jsonb',
  Bytes: 'bytea',
  Float: 'double precision',
};

function sqlType(type: string, of: string, rest: string): string {
  if (type === 'Unsupported') return of.slice(2, -2);
  if (/@db\.Uuid\b/.test(rest)) return 'uuid';
  if (/@db\.SmallInt\b/.test(rest)) return 'smallint';
  return SQL_TYPES[type] ?? type;
}
