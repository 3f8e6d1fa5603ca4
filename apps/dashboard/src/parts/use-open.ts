import { type LinkProps, useNavigate } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

/** For the click on one of hundreds of plain links, of which each would ask the router all the time. With a key held the browser opens it where it is wanted. */
export function useOpen(): (event: MouseEvent, link: LinkProps) => void {
  const navigate = useNavigate();
  return (event, link) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate(link);
  };
}
