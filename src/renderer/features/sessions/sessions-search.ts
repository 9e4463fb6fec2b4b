import { field } from '../../lib/address.ts'

/** What the address of Sessions says. */
export interface SessionsSearch {
  readonly q?: string | undefined
  readonly project?: string | undefined
}

export function sessionsSearch(fields: Record<string, unknown>): SessionsSearch {
  return { q: field(fields, 'q'), project: field(fields, 'project') }
}

/** What the address of one session says: the event it opens at, and whether its details are shown beside. */
export interface SessionSearch {
  readonly event?: string | undefined
  readonly details?: 'yes' | undefined
}

export function sessionSearch(fields: Record<string, unknown>): SessionSearch {
  return { event: field(fields, 'event'), details: fields['details'] === 'yes' ? 'yes' : undefined }
}
