import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { signaturesQuery } from '../queries.ts'

/** Of a session that thought, but with signatures only: why there is nothing to read, and where that is changed. */
export function NoThinkingHint({ session }: { readonly session: Session }) {
  const { data: hasSignatures } = useQuery({ ...signaturesQuery(session.id), enabled: session.thinking_blocks === 0 })
  if (session.thinking_blocks > 0 || hasSignatures !== true) return null
  return (
    <Link
      to="/settings"
      title="Claude Code asked for no text of its thinking, so there is none to recall"
      className="text-warn underline underline-offset-2"
    >
      Only signatures of its thinking came: ask for summaries in Settings
    </Link>
  )
}
