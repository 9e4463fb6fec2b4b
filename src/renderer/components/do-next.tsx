import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Advice } from '../../shared/contract/advice.ts'
import { ADVICE_GROUPS, adviceGroup, adviceStake } from '../lib/advice-stake.ts'
import { useDecideAdvice } from '../lib/decide-advice.ts'
import { projectName } from '../lib/format.ts'
import { useOperation } from '../lib/operation.ts'
import { AdviceFix } from './advice-fix.tsx'
import { Button } from './button.tsx'
import { Card } from './page.tsx'
import { toExchange } from '../lib/places.ts'

/** More than this nobody does. */
const SHOWN = 3
interface DoNextProps {
  readonly project?: string | undefined
  /** One line each, above a list. */
  readonly isBrief?: boolean
}

/** A fix may save less than the amounts beside it. */
const NOTE = 'costs more than it needs to'

/** The suggestions with something to do that save the most, each with its stake, evidence and fix. Without one, the way to the others. */
export function DoNext({ project, isBrief = false }: DoNextProps) {
  const { data } = useOperation('advice.list', { ...(project === undefined ? {} : { project }), evidence: 1 })
  const open = (data?.items ?? []).filter((item) => adviceGroup(item) === 'open' && item.fix !== null)
  if (open.length === 0) return isBrief ? null : <Rest items={data?.items ?? []} />
  const all = (
    <Link to="/costs/advice" className="text-small text-accent hover:underline">
      {open.length > SHOWN ? `All ${open.length} suggestions` : 'All suggestions'}
    </Link>
  )
  const shown = open.slice(0, SHOWN)
  if (isBrief) return <Brief items={shown} all={all} />
  return (
    <Card title="Do next" note={NOTE} actions={all}>
      <ul className="divide-y border-t">
        {shown.map((item) => (
          <Suggestion key={item.id} item={item} />
        ))}
      </ul>
    </Card>
  )
}

/** Leads to the suggestions when there is nothing more to do, so that what was tried or dismissed can be undone. */
function Rest({ items }: { readonly items: readonly Advice[] }) {
  if (items.length === 0) return null
  const counts = ADVICE_GROUPS.map((name) => [items.filter((item) => adviceGroup(item) === name).length, name] as const)
  const said = counts.filter(([count]) => count > 0).map(([count, name]) => `, ${count} ${name}`)
  return (
    <Link to="/costs/advice" className="self-start text-small text-accent hover:underline">
      {`All suggestions${said.join('')}`}
    </Link>
  )
}

function Brief({ items, all }: { readonly items: readonly Advice[]; readonly all: ReactNode }) {
  return (
    <section aria-label="Do next" className="mx-6 mb-3 rounded-medium border bg-surface px-4 py-2 max-[700px]:mx-4">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="text-small font-semibold">
          Do next <span className="ml-1 font-normal text-faint">{NOTE}</span>
        </h2>
        {all}
      </div>
      <ul>
        {items.map((item) => (
          <li key={item.id} className="flex items-baseline gap-3 text-small">
            <span className="w-32 shrink-0 font-semibold whitespace-nowrap tabular-nums">{adviceStake(item)}</span>
            <span className="min-w-0 text-soft max-[700px]:line-clamp-2" title={item.headline}>
              {item.headline}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Suggestion({ item }: { readonly item: Advice }) {
  const { id, headline, fix, evidence, scope } = item
  const [shown] = evidence
  const decide = useDecideAdvice(id)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 py-3">
      <span className="w-32 shrink-0 font-semibold whitespace-nowrap tabular-nums">{adviceStake(item)}</span>
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-body">{headline}</p>
        {fix !== null && (
          <details className="mt-1 text-small text-soft">
            <summary className="cursor-pointer">{fix.title}</summary>
            <AdviceFix fix={fix} />
            <Link to="/costs/advice" className="text-accent underline">
              {fix.files.length > 0 ? 'Apply it' : 'Mark it as done'} in Suggestions, and see whether it helps
            </Link>
          </details>
        )}
        <p className="mt-1 text-meta text-faint">
          {scope.project !== null && <span title={scope.project}>{projectName(scope.project)}</span>}
          {shown !== undefined && (
            <Link {...toExchange(shown, {})} className="ml-2 text-accent underline">
              Show the most expensive case
            </Link>
          )}
        </p>
      </div>
      <Button size="small" onClick={() => decide.mutate('dismiss')} disabled={decide.isPending}>
        Dismiss
      </Button>
    </li>
  )
}
