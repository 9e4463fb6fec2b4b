import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { call } from '../../../lib/client.ts'
import { formatCount } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'

/** The error count of a session. Each click goes to the next error in time order. */
export function ErrorsNumber({ sessionId, errors }: { readonly sessionId: string; readonly errors: number }) {
  const navigate = useNavigate()
  const { event } = useSearch({ strict: false })
  const step = useMutation({
    mutationFn: () => call('errors.list', { session_id: sessionId, limit: 200 }),
    onSuccess: ({ items }) => {
      // The list is newest first.
      const uuids = items.map(({ uuid }) => uuid).toReversed()
      const next = uuids[(uuids.indexOf(event ?? '') + 1) % uuids.length]
      if (next === undefined) notify('These errors are no longer recorded', 'warn')
      else void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: { event: next } })
    },
    onError: (error) => notify(error.message, 'warn'),
  })
  if (errors === 0) return <>{formatCount(errors)}</>
  return (
    <button
      type="button"
      onClick={() => step.mutate()}
      aria-label={`${formatCount(errors)}: go to the next error`}
      title="Go to the next error"
      className="rounded-small text-bad underline decoration-dotted underline-offset-4 hover:decoration-solid"
    >
      {formatCount(errors)}
    </button>
  )
}
