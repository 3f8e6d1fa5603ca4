import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useMe } from '../me/me.ts';
import { useLeave } from '../me/use-leave.ts';
import { changeSettings, useSettings, type ZoneChoice } from '../settings/settings.ts';
import { ownZone } from '../time/instants.ts';
import { words } from '../words/index.ts';
import styles from './zone-menu.module.css';

interface Choice<T extends string> {
  title: string;
  options: Readonly<Record<T, string>>;
  chosen: T;
  onChoose: (choice: T) => void;
}

/** Who is signed in, and how they like to see things. */
export function OwnMenu({ onHelp }: { onHelp: () => void }) {
  const { principal, grants } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { density, zone, singleKeys } = useSettings();
  const { shell } = words;
  const ownZones = {
    schedule: shell.zones.schedule(''),
    mine: shell.zones.mine(ownZone()),
    utc: shell.zones.utc(''),
  } satisfies Record<ZoneChoice, string>;
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={32} radius="xl" aria-label={shell.account}>
          {principal.name.slice(0, 1).toUpperCase()}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{shell.signedInAs(principal.name, grants.map(({ role }) => role).join(', '))}</Menu.Label>
        <Choices
          title={shell.theme}
          options={shell.themes}
          chosen={colorScheme}
          onChoose={(choice) => setColorScheme(choice)}
        />
        <Choices
          title={shell.density}
          options={shell.densities}
          chosen={density}
          onChoose={(choice) => changeSettings({ density: choice })}
        />
        <Choices
          title={shell.zone}
          options={ownZones}
          chosen={zone}
          onChoose={(choice) => changeSettings({ zone: choice })}
        />
        <Menu.Divider />
        <Menu.Item
          role="menuitemcheckbox"
          aria-checked={singleKeys}
          className={singleKeys ? styles.chosen : undefined}
          onClick={() => changeSettings({ singleKeys: !singleKeys })}
        >
          {shell.singleKeys}
        </Menu.Item>
        <Menu.Item onClick={onHelp} closeMenuOnClick>
          {shell.keys}
        </Menu.Item>
        <SignOut />
      </Menu.Dropdown>
    </Menu>
  );
}

function Choices<T extends string>({ title, options, chosen, onChoose }: Choice<T>) {
  return (
    <>
      <Menu.Label>{title}</Menu.Label>
      {(Object.entries(options) as [T, string][]).map(([choice, name]) => (
        <Menu.Item
          key={choice}
          role="menuitemradio"
          aria-checked={choice === chosen}
          className={choice === chosen ? styles.chosen : undefined}
          onClick={() => onChoose(choice)}
        >
          {name}
        </Menu.Item>
      ))}
    </>
  );
}

function SignOut() {
  const leave = useLeave();
  return (
    <Menu.Item closeMenuOnClick onClick={() => void leave()}>
      {words.shell.signOut}
    </Menu.Item>
  );
}
