const ANSWER = 'the answer is 42';

export async function answer(): Promise<string> {
  return ANSWER;
}

export function createCounter(): { count(): Promise<number> } {
  let counted = 0;
  return {
    async count() {
      counted += 1;
      return counted;
    },
  };
}
