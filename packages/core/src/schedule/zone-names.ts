import { nearest } from '../errors.ts';

/** Places whose names ICU takes and does not list, as it lists their former ones. */
const RENAMED = [
  'Africa/Asmara',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Istanbul',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tel_Aviv',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];

interface ZoneNames {
  all: readonly string[];
  /** By the last part of the name, in small letters. */
  byCity: ReadonlyMap<string, string>;
}

let names: ZoneNames | undefined;

/** Made once: asking Intl for one name takes longer than looking through all. */
function zoneNames(): ZoneNames {
  if (names) return names;
  const all = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const byCity = new Map([...RENAMED.filter(isZone), ...all].map((name) => [cityOf(name), name]));
  names = { all, byCity };
  return names;
}

const cityOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1).toLowerCase();

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** What was probably meant by an unknown zone: the same city in another region, else the nearest name. */
export function nearestZone(name: string): string | undefined {
  const { all, byCity } = zoneNames();
  return byCity.get(cityOf(name).replaceAll(' ', '_')) ?? nearest(name, all);
}
