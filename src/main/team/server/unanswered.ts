import type { AspyError } from '../../../shared/contract/errors.ts'
import { teamCannot } from '../../../shared/team-cannot.ts'
import { unsupported } from '../store/read/scope.ts'

/** Returns the error for an operation that a team's history cannot answer, with the reason. */
export function unanswered(name: string): AspyError {
  const reason = teamCannot(name)
  return unsupported(reason === undefined ? name : `${name}, because ${reason}`)
}
