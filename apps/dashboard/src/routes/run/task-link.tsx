import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toTask } from '../../links.ts';

/** The task of a run, by its name. One that was deleted is only named. */
export function TaskLink({ name }: { name: string }) {
  const { data } = useQuery({ ...get('/v1/task', { query: { name } }), retry: false });
  return data ? <Link {...toTask(data.id)}>{name}</Link> : name;
}
