import { field } from '../../lib/address.ts'

/** Search parameters of Settings. */
export interface SettingsSearch {
  readonly q?: string | undefined
}

export function settingsSearch(fields: Record<string, unknown>): SettingsSearch {
  return { q: field(fields, 'q') }
}
