import type { BusyKey, ForecastPiece, KeyOutcome, PoolForecast } from '@escapement/core/forecast';
import type { FleetForecast } from './read-forecast.ts';

interface PeakView {
  runs: number;
  /** When it is reached first; null: nothing is at work. */
  at: Date | null;
}

type WithPeaks<Of> = Omit<Of, 'p50' | 'p95'> & { p50: PeakView; p95: PeakView };
type OutcomeView = Omit<KeyOutcome, 'firstAt'> & { firstAt: Date | null };

/** A forecast as people and programs see it: instants instead of milliseconds. */
export interface ForecastView extends Omit<FleetForecast, 'load' | 'pieces' | 'pools' | 'keys'> {
  pieces: (Omit<WithPeaks<ForecastPiece>, 'from' | 'to'> & { from: Date; to: Date })[];
  pools: WithPeaks<PoolForecast>[];
  keys: (Omit<BusyKey, 'p50' | 'p95'> & { p50: OutcomeView; p95: OutcomeView })[];
}

export function forecastView({ pieces, pools, keys, ...rest }: Omit<FleetForecast, 'load'>): ForecastView {
  return {
    ...rest,
    pieces: pieces.map((piece) => ({ ...withPeaks(piece), from: new Date(piece.from), to: new Date(piece.to) })),
    pools: pools.map(withPeaks),
    keys: keys.map((key) => ({ ...key, p50: withInstant(key.p50), p95: withInstant(key.p95) })),
  };
}

function withPeaks<Of extends Pick<ForecastPiece, 'p50' | 'p95'>>(of: Of): WithPeaks<Of> {
  return { ...of, p50: { ...of.p50, at: instant(of.p50.at) }, p95: { ...of.p95, at: instant(of.p95.at) } };
}

function withInstant(of: KeyOutcome): OutcomeView {
  return { ...of, firstAt: instant(of.firstAt) };
}

function instant(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
