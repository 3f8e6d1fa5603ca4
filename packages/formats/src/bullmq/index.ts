export { readSchedulers, type SchedulersGiven, type StoredScheduler } from './read-schedulers.ts';
