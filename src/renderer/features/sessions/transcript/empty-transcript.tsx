import { useOperation } from '../../../lib/operation.ts'

/** Explains why a transcript has no messages. */
export function EmptyTranscript({ sessionId }: { readonly sessionId: string }) {
  const { data: session } = useOperation('sessions.get', { session_id: sessionId })
  return (
    <p className="pt-20 text-center text-soft">
      {session?.preview === true
        ? 'This session is being imported. Its messages appear here at the end of the import.'
        : 'No messages in this session yet.'}
    </p>
  )
}
