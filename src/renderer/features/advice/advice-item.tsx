import { Link } from '@tanstack/react-router'
import type { Advice } from '../../../shared/contract/advice.ts'
import { AdviceFix } from '../../components/advice-fix.tsx'
import { visibleText } from '../../../shared/visible-text.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Moment } from '../../components/moment.tsx'
import { adviceGroup, adviceStake, isMonthly } from '../../lib/advice-stake.ts'
import { useDecideAdvice } from '../../lib/decide-advice.ts'
import { formatCost, formatCount, plural } from '../../lib/format.ts'
import { toExchange } from '../../lib/places.ts'

const STATES = {
  open: null,
  applied: ['plain', 'applied, not judged yet'],
  worked: ['good', 'applied, and it helped'],
  partly: ['good', 'applied, and it helped in part'],
  no_effect: ['warn', 'applied, and it did not help'],
  worse: ['bad', 'applied, and it got worse'],
  undone: ['plain', 'undone'],
  dismissed: ['plain', 'dismissed'],
} as const

/** Why a kind costs something, for people who do not know how an API bills. */
const WHY: Readonly<Record<Advice['kind'], string>> = {
  pauses:
    'The API keeps a conversation ready for some minutes (its cache). After a longer pause, the next request pays for all of it again.',
  broken_cache:
    'The API keeps what begins each request ready (its cache). When that changes, everything after it is paid for again.',
  carried_unused: 'The tools of an MCP server are part of every request and paid for in each, also if none is called.',
  large_output: 'What a tool prints stays in the conversation, and is paid for again in every later turn.',
  failing_command: 'The same failure comes back in session after session, and each time answers are spent on it.',
  permissions: 'Claude stopped to ask, and you always allowed it. A permission rule answers for you.',
  unrequested: 'The client sends requests of its own that nobody asked for. They cost like others.',
  costly_agents: 'A subagent begins without the conversation and reads again what the main agent knows.',
}

/** A suggestion with its cases, its fix, and the decisions about it. */
export function AdviceItem({ item }: { readonly item: Advice }) {
  const { kind, headline, scope, state, fix, band, usd_per_month: usd } = item
  const badge = STATES[state]
  const [low, high] = band
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 py-4">
      <div className="w-36 shrink-0">
        <p className="font-semibold whitespace-nowrap tabular-nums">{adviceStake(item)}</p>
        <p className="text-meta text-faint tabular-nums">
          what it cost
          {usd > 0 && isMonthly(item) && adviceGroup(item) === 'open'
            ? `; next month likely ${formatCost(low)} to ${formatCost(high)}`
            : ''}
        </p>
      </div>
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-body break-words">{headline}</p>
        <p className="mt-1 flex flex-wrap items-center gap-2 text-meta text-faint">
          <span className="break-all">{scope.project ?? 'all projects'}</span>
          {badge !== null && <Badge tone={badge[0]}>{badge[1]}</Badge>}
        </p>
        <p className="mt-1 text-small text-soft">{WHY[kind]}</p>
        <Checked item={item} />
        <div className="mt-2 text-small text-soft">
          <p className="font-medium">{fix?.title ?? 'Nothing to change here: the client itself is the cause.'}</p>
          {fix !== null && <AdviceFix fix={fix} />}
          {isApplied(item) && (
            <p className="mt-1 break-words">
              {`Changed: ${fix?.files.map(({ path }) => path).join(', ')}. Undo takes this change back, and nothing else.`}
            </p>
          )}
        </div>
        <Evidence item={item} />
      </div>
      <Decisions item={item} />
    </li>
  )
}

/** True if it changed a file and was not undone. */
const isApplied = ({ state, fix }: Advice): boolean =>
  adviceGroup({ state }) === 'applied' && fix !== null && fix.files.length > 0

/** Writes how often chance alone makes such a difference. */
const chance = (p: number): string =>
  p < 0.001 ? 'fewer than 1 in 1,000' : `${formatCount(Math.round(p * 1000))} in 1,000`

function Checked({ item: { checked, usd_per_month: usd } }: { readonly item: Advice }) {
  if (checked === null) return null
  const amount = (value: number) => (usd > 0 ? formatCost(value) : `${value.toFixed(1)} min`)
  return (
    <p className="mt-1 text-small text-soft tabular-nums">
      {`Each cost ${amount(checked.before)} before, and ${amount(checked.after)} in the ${checked.n} since. Chance alone does that ${chance(checked.p)} times.`}
    </p>
  )
}

function Evidence({ item: { cases, hits, opportunities } }: { readonly item: Advice }) {
  if (cases.length === 0) return null
  return (
    <details className="mt-2 text-small">
      <summary className="cursor-pointer text-soft">
        {`${plural(hits, 'case')} of ${formatCount(opportunities)} possible ones, most expensive first${hits > cases.length ? `: the first ${cases.length}` : ''}`}
      </summary>
      <ol className="mt-1">
        {cases.map(({ uuid, session_id: session, session_title: title, timestamp, usd, minutes }) => (
          <li key={uuid}>
            <Link {...toExchange(uuid, {})} className="flex min-h-6 items-center gap-3 text-accent hover:underline">
              <span className="w-16 shrink-0 text-right tabular-nums">
                {minutes > 0 ? `${minutes.toFixed(1)} min` : formatCost(usd)}
              </span>
              <Moment at={timestamp} className="shrink-0" />
              <span className="min-w-0 truncate">{visibleText(title ?? session.slice(0, 8))}</span>
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
  const isNew = adviceGroup({ state }) === 'open'
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
