// A module of ours, since a package that is imported where it is needed has no names in the bundle.
export { stringify } from 'yaml';
