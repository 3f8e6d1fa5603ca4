import { expect, test } from 'vitest';
import { isDataFault, splitOnDataFault } from './data-fault.ts';

const refusal = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' });

test.each(['22008', '22P02', '22021', '23505', '23514', '21000', '54000', '54001', 'P0001'])(
  'what Postgres refuses with %s is the fault of a value',
  (code) => {
    expect(isDataFault(refusal(code))).toBe(true);
  },
);

test.each(['40001', '40P01', '42501', '42P01', '53100', '55P03', '57014', '57P01', '08006', '58030', '25006', 'XX000'])(
  'what Postgres refuses with %s is the fault of no value',
  (code) => {
    expect(isDataFault(refusal(code))).toBe(false);
  },
);

test.each([new RangeError('Invalid time value'), new TypeError('x is not a function'), new SyntaxError('no JSON')])(
  'that code cannot work with a value is the fault of that value: %s',
  (error) => {
    expect(isDataFault(error)).toBe(true);
  },
);

test.each(['ECONNREFUSED', 'ENOMEM', 'EMFILE', 'EPIPE'])('%s is the fault of no value', (code) => {
  expect(isDataFault(Object.assign(new Error(code), { code, syscall: 'connect' }))).toBe(false);
});

test('a connection that ended is the fault of no value', () => {
  expect(isDataFault(new Error('Connection terminated unexpectedly'))).toBe(false);
});

/** Writes numbers; refuses the bad ones. */
async function split(batch: readonly number[], bad: readonly number[], error: Error = refusal('22008')) {
  const [written, refused]: [number[], number[]] = [[], []];
  let writes = 0;
  const answers = splitOnDataFault(batch, {
    async write(part) {
      writes++;
      if (part.some((each) => bad.includes(each))) throw error;
      written.push(...part);
      return part.length;
    },
    refused: (member) => refused.push(member),
  });
  return { answers: await answers, written, refused, writes };
}

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);

test.each<[number[]]>([[[]], [[0]], [[99]], [[49, 50]], [[0, 1, 2, 98]], [HUNDRED]])(
  'all but those at fault are written, once and in order: %j',
  async (bad) => {
    const { answers, written, refused } = await split(HUNDRED, bad);
    expect(written).toEqual(HUNDRED.filter((each) => !bad.includes(each)));
    expect(refused).toEqual(bad);
    expect(answers.reduce((sum, each) => sum + each, 0)).toBe(written.length);
  },
);

test('one at fault among a hundred costs about two writes for each time the batch is halved', async () => {
  expect((await split(HUNDRED, [37])).writes).toBeLessThanOrEqual(15);
});

test('what is no fault of a value is split by nobody', async () => {
  await expect(split(HUNDRED, [3], refusal('57014'))).rejects.toThrow('refused');
});

test('nothing is written where there is nothing', async () => {
  expect(await split([], [])).toMatchObject({ writes: 0, answers: [] });
});
