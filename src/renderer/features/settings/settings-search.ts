import { field } from '../../lib/address.ts'

/** Search parameters of Settings. */
export interface SettingsSearch {
  readonly q?: string | undefined
}

export const settingsSearch = (fields: Record<string, unknown>): SettingsSearch => ({ q: field(fields, 'q') })
