import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/get.ts';
import { words } from '../words/index.ts';

interface PoolFieldProps {
  /** Stands above it. Default: nothing does. */
  label?: string;
  /** Null: all. */
  pool: string | null;
  onPool: (pool: string | null) => void;
}

/** Chooses a pool, or all. */
export function PoolField({ label, pool, onPool }: PoolFieldProps) {
  const pools = useQuery(get('/v1/pools'));
  const names = new Set([...(pools.data?.items ?? []).map(({ name }) => name), ...(pool === null ? [] : [pool])]);
  return (
    <Select
      {...(label === undefined
        ? { w: 160, 'aria-label': words.common.pool, placeholder: words.common.allPools }
        : { label, placeholder: words.common.usualPool })}
      data={[...names]}
      value={pool}
      onChange={onPool}
      clearable
      searchable={names.size > 10}
      withScrollArea={false}
    />
  );
}
