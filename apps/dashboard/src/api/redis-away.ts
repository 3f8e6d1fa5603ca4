import { get } from './get.ts';

const KIND = 'redis-away';

/** The alert that Redis is away, also one that nobody is told of yet; among all others it could be beyond the first page. */
export const redisAwayQuery = get('/v1/alerts', { query: { kind: KIND, limit: 1 } });

export const isRedisAway = ({ kind }: { kind: string }): boolean => kind === KIND;

/** Of what the doctor finds. */
export const isOfRedis = ({ subject }: { subject: string }): boolean => subject.startsWith('Redis');
