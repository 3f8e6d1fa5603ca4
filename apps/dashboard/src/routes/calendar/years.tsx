import { Chip, Chips } from '../../parts/chips.tsx';
import { words } from '../../words/index.ts';
import { FIRST_YEAR, LAST_YEAR } from './search.ts';

interface YearsProps {
  year: number;
  onYear: (year: number) => void;
}

/** Chooses a year: that before, and the two after. */
export function Years({ year, onYear }: YearsProps) {
  const years = [year - 1, year, year + 1, year + 2].filter((each) => each >= FIRST_YEAR && each <= LAST_YEAR);
  return (
    <Chips label={words.calendars.years}>
      {years.map((each) => (
        <Chip key={each} onChoose={() => onYear(each)} isChosen={each === year}>
          {each}
        </Chip>
      ))}
    </Chips>
  );
}
