import { Button, Menu } from '@mantine/core';
import { changeSettings, useSettings, type ZoneChoice } from '../settings/settings.ts';
import { ownZone } from '../time/instants.ts';
import { words } from '../words/index.ts';
import styles from './zone-menu.module.css';

const CHOICES: readonly ZoneChoice[] = ['schedule', 'mine', 'utc'];

/** In whose zone times are shown; it names the zone. */
export function ZoneMenu() {
  const { zone } = useSettings();
  const { zones, zone: title } = words.shell;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-md"
          variant="subtle"
          className={styles.button}
          aria-label={`${title}: ${zones[zone](ownZone())}`}
        >
          <span className="cut">{zones[zone](ownZone())}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{title}</Menu.Label>
        {CHOICES.map((choice) => (
          <Menu.Item
            key={choice}
            role="menuitemradio"
            aria-checked={choice === zone}
            className={choice === zone ? styles.chosen : undefined}
            onClick={() => changeSettings({ zone: choice })}
          >
            {zones[choice](ownZone())}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
