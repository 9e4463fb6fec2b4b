import { Link } from '@tanstack/react-router'
import type { Advice } from '../../../shared/contract/advice.ts'
import { AdviceFix } from '../../components/advice-fix.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { adviceStake, isMonthly } from '../../lib/advice-stake.ts'
import { useDecideAdvice } from '../../lib/decide-advice.ts'
import { formatCost, plural } from '../../lib/format.ts'

const STATES = {
  open: null,
  applied: ['plain', 'too early to tell: ten later cases are needed'],
  worked: ['good', 'worked'],
  partly: ['good', 'worked in part'],
  no_effect: ['warn', 'no effect'],
  worse: ['bad', 'got worse'],
  undone: ['plain', 'undone'],
  dismissed: ['plain', 'dismissed until its evidence doubles'],
} as const

/** A suggestion with its cases, its fix, and the decisions about it. */
export function AdviceItem({ item }: { readonly item: Advice }) {
  const { headline, scope, state, fix, band, usd_per_month: usd } = item
  const badge = STATES[state]
  const [low, high] = band
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 py-4">
      <div className="w-36 shrink-0">
        <p className="font-semibold whitespace-nowrap tabular-nums">{adviceStake(item)}</p>
        <p className="text-meta text-faint tabular-nums">
          {usd > 0 && isMonthly(item)
            ? `at stake; next month ${formatCost(low)} to ${formatCost(high)}, nine times in ten`
            : 'at stake'}
        </p>
      </div>
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-body break-words">{headline}</p>
        <p className="mt-1 flex flex-wrap items-center gap-2 text-meta text-faint">
          <span className="break-all">{scope.project ?? 'any folder'}</span>
          {badge !== null && <Badge tone={badge[0]}>{badge[1]}</Badge>}
        </p>
        <Checked item={item} />
        <div className="mt-2 text-small text-soft">
          <p className="font-medium">{fix?.title ?? 'Nothing to change here: the client itself is the cause.'}</p>
          {fix !== null && <AdviceFix fix={fix} />}
        </div>
        <Evidence item={item} />
      </div>
      <Decisions item={item} />
    </li>
  )
}

const chance = (p: number): string => (p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`)

function Checked({ item: { checked, usd_per_month: usd } }: { readonly item: Advice }) {
  if (checked === null) return null
  const amount = (value: number) => (usd > 0 ? formatCost(value) : `${value.toFixed(1)} min`)
  return (
    <p className="mt-1 text-small text-soft tabular-nums">
      {`${amount(checked.before)} each before, ${amount(checked.after)} in the ${checked.n} since (p ${chance(checked.p)})`}
    </p>
  )
}

function Evidence({ item: { evidence, opportunities } }: { readonly item: Advice }) {
  if (evidence.length === 0) return null
  return (
    <details className="mt-2 text-small">
      <summary className="cursor-pointer text-soft">
        {`${plural(evidence.length, 'case')}, most expensive first; it could have happened ${plural(opportunities, 'time')}`}
      </summary>
      <ol className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
        {evidence.map((uuid, at) => (
          <li key={uuid}>
            <Link
              to="/exchanges/$uuid"
              params={{ uuid }}
              className="inline-flex min-h-6 min-w-6 items-center text-accent hover:underline"
            >
              Case {at + 1}
            </Link>
          </li>
        ))}
      </ol>
    </details>
  )
}

/** A fix that changes no file is marked as done, so that it is checked too. */
function Decisions({ item: { id, state, fix } }: { readonly item: Advice }) {
  const decide = useDecideAdvice(id)
  const isNew = state === 'open' || state === 'undone'
  const isFile = fix !== null && fix.files.length > 0
  return (
    <div className="flex gap-2">
      {isNew && fix !== null && (
        <Button size="small" onClick={() => decide.mutate('apply')} disabled={decide.isPending}>
          {isFile ? 'Apply' : 'Mark as done'}
        </Button>
      )}
      {isNew && (
        <Button size="small" onClick={() => decide.mutate('dismiss')} disabled={decide.isPending}>
          Dismiss
        </Button>
      )}
      {!isNew && (
        <Button size="small" onClick={() => decide.mutate('undo')} disabled={decide.isPending}>
          {state === 'dismissed' ? 'Show again' : 'Undo'}
        </Button>
      )}
    </div>
  )
}
