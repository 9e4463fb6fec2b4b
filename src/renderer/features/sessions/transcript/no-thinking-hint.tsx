import { Link } from '@tanstack/react-router'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { useOperation } from '../../../lib/operation.ts'

/** Explains missing thinking in a session that has only signatures, and links to the setting. */
export function NoThinkingHint({ session }: { readonly session: Session }) {
  const { data } = useOperation(
    'sessions.events',
    { session_id: session.id, kinds: 'thinking', limit: 20 },
    { enabled: session.thinking_blocks === 0 },
  )
  const hasSignatures = data?.items.some(
    ({ kind, payload }) => kind === 'thinking' && payload['signature_only'] === true,
  )
  if (session.thinking_blocks > 0 || hasSignatures !== true) return null
  return (
    <Link
      to="/settings"
      title="Claude Code did not request the text of its thinking, so there is none to recall"
      className="text-warn underline underline-offset-2"
    >
      Thinking has signatures only. Turn on summaries in Settings
    </Link>
  )
}
