import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { redisAwayQuery } from '../../api/redis-away.ts';
import { toRecovery } from '../../links.ts';
import { Note } from '../../parts/note.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';

const { fleet: text } = words;

/** That Redis is away, since when, and what that means; and once it is back, that it is. Nothing, where it was never away. */
export function Redis() {
  const { data } = useQuery(redisAwayQuery);
  const alert = data?.items[0];
  const [wasAway, setWasAway] = useState(false);
  if (alert && !wasAway) setWasAway(true);
  if (!wasAway) return null;
  return alert ? (
    <Note tone="bad" shape="cross" title={text.redisAway} role="status">
      <span>{text.redisAwayWords}</span>
      <span className="quiet">
        {text.redisSince} <Instant at={alert.since} as="both" />
      </span>
    </Note>
  ) : (
    <Note tone="good" shape="check" title={text.redisBack} role="status">
      <span>
        {text.redisBackWords} <Link {...toRecovery()}>{text.redisHeld}</Link>
      </span>
    </Note>
  );
}
