export { readUnits, type UnitsGiven } from './read-units.ts';
export { toUnits, type UnitsExport, type UnitsOptions } from './to-units.ts';
