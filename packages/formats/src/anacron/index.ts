export { type AnacrontabGiven, readAnacrontab } from './read-anacrontab.ts';
