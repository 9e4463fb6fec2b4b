import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Advice } from '../../shared/contract/advice.ts'
import { call } from '../lib/client.ts'
import { formatCost, plural } from '../lib/format.ts'
import { notify } from '../lib/notices.ts'
import { useOperation } from '../lib/operation.ts'
import { Button } from './button.tsx'
import { Card } from './page.tsx'

/** More than this nobody does. */
const SHOWN = 3

/** The suggestions that save the most, each with its stake, evidence and fix. Nothing if there are none. */
export function DoNext({ project }: { readonly project?: string | undefined }) {
  const { data } = useOperation('advice.list', { ...(project === undefined ? {} : { project }), evidence: 1 })
  const open = (data?.items ?? []).filter(({ state }) => state === 'open')
  if (open.length === 0) return null
  const note =
    open.length > SHOWN ? `the ${SHOWN} of ${plural(open.length, 'suggestion')} that save the most` : undefined
  return (
    <Card title="Do next" {...(note === undefined ? {} : { note })}>
      <ul className="divide-y border-t">
        {open.slice(0, SHOWN).map((item) => (
          <Suggestion key={item.id} item={item} />
        ))}
      </ul>
    </Card>
  )
}

function Suggestion({ item }: { readonly item: Advice }) {
  const { id, headline, fix, evidence, scope, usd_per_month: usd, minutes_per_month: minutes } = item
  const [shown] = evidence
  const dismiss = useDismiss(id)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 py-3">
      <span className="min-w-28 shrink-0 font-semibold whitespace-nowrap tabular-nums">
        {usd > 0 ? `${formatCost(usd)}/month` : `${Math.round(minutes)} min/month`}
      </span>
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-body">{headline}</p>
        {fix !== null && (
          <details className="mt-1 text-small text-soft">
            <summary className="cursor-pointer">{fix.title}</summary>
            <ul className="mt-1 list-disc pl-5">
              {fix.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ul>
            {fix.files.map(({ path, diff }) => (
              <pre key={path} className="mt-2 overflow-x-auto text-meta">
                {diff}
              </pre>
            ))}
            <p className="mt-1 text-faint">{`To make this change and see whether it helps: aspy advise --apply ${id}`}</p>
          </details>
        )}
        <p className="mt-1 text-meta text-faint">
          {scope.project}
          {shown !== undefined && (
            <Link to="/exchanges/$uuid" params={{ uuid: shown }} className="ml-2 text-accent hover:underline">
              Show the most expensive case
            </Link>
          )}
        </p>
      </div>
      <Button size="small" onClick={() => dismiss.mutate()} disabled={dismiss.isPending}>
        Dismiss
      </Button>
    </li>
  )
}

function useDismiss(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call('advice.dismiss', { id }),
    onSuccess: async () => {
      notify('Dismissed until its evidence doubles')
      await queries.invalidateQueries({ queryKey: ['advice.list'] })
    },
    onError: (error) => notify(error.message, 'warn'),
  })
}
