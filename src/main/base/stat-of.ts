import { existsSync, statSync, type Stats } from 'node:fs'

/** Returns what a path leads to; undefined if it leads nowhere, as a link to itself does. */
export const statOf = (path: string): Stats | undefined =>
  existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined
