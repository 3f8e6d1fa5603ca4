import { OwnMenu } from './own-menu.tsx';
import { ZoneMenu } from './zone-menu.tsx';

/** The menus of the top bar. Loaded after the first screen: what opens and places menus is as large as a screen. */
export default function Menus({ onHelp }: { onHelp: () => void }) {
  return (
    <>
      <ZoneMenu />
      <OwnMenu onHelp={onHelp} />
    </>
  );
}
