import { readFileSync } from 'node:fs';
import { SECOND } from '@escapement/core';

/** Looks once a second how much memory a process has. Linux only. */
export function watchMemory(pid: number): { seen(): { mostMemoryMb?: number }; stop(): void } {
  let mostMb: number | undefined;
  const timer = setInterval(() => {
    const nowMb = memoryMb(pid);
    if (nowMb !== undefined) mostMb = Math.max(nowMb, mostMb ?? 0);
  }, SECOND);
  return {
    seen: () => (mostMb === undefined ? {} : { mostMemoryMb: mostMb }),
    stop: () => clearInterval(timer),
  };
}

function memoryMb(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
