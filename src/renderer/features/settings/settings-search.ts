import { field } from '../../lib/address.ts'

/** What the address of Settings says. */
export interface SettingsSearch {
  readonly q?: string | undefined
}

export function settingsSearch(fields: Record<string, unknown>): SettingsSearch {
  return { q: field(fields, 'q') }
}
