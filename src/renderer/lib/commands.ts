import type { LucideIcon } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'

/** An action that the command palette offers while its view is open. */
export interface Command {
  /** Unique, and the same after a reload: recent commands are remembered by it. */
  readonly id: string
  readonly name: string
  readonly icon: LucideIcon
  /** Its keyboard shortcut, as the sheet of shortcuts shows it. */
  readonly keys?: string
  readonly run: () => void
}

const sources = new Set<{ readonly group: string; readonly current: () => readonly Command[] }>()

/** Offers commands in the palette while the component is mounted. They may change with each render. */
export function useCommands(group: string, commands: readonly Command[]): void {
  const latest = useRef(commands)
  useLayoutEffect(() => {
    latest.current = commands
  })
  useLayoutEffect(() => {
    const source = { group, current: () => latest.current }
    sources.add(source)
    return () => void sources.delete(source)
  }, [group])
}

/** Returns the available commands, newest view first. */
export const currentCommands = (): readonly (Command & { readonly group: string })[] =>
  [...sources].toReversed().flatMap(({ group, current }) => current().map((command) => ({ ...command, group })))

const RECENT_KEY = 'aspy.commands.recent'
const MAX_RECENT = 5

/** Returns the IDs of the commands that were run last, newest first. */
export function recentCommands(): readonly string[] {
  const stored: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? '[]')
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
}

/** Remembers that a command was run. */
export function noteCommand(id: string): void {
  const recent = [id, ...recentCommands().filter((one) => one !== id)].slice(0, MAX_RECENT)
  localStorage.setItem(RECENT_KEY, JSON.stringify(recent))
}
