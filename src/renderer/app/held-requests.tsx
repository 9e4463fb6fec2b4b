import { Link } from '@tanstack/react-router'
import { OctagonPause } from 'lucide-react'
import { type SyntheticEvent, useState } from 'react'
import type { GUARD_DECISIONS } from '../../shared/contract/guard.ts'
import { reasonOf } from '../../shared/guard-reason.ts'
import { shortened } from '../../shared/cut-text.ts'
import { modelName } from '../../shared/vendors.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { Button } from '../components/button.tsx'
import { useKnownSessions } from '../features/live/use-known-sessions.ts'
import { call } from '../lib/client.ts'
import { formatCost, formatDuration, formatExact, plural, projectName } from '../lib/format.ts'
import { heldGroups, proposedLimit, type HeldGroup } from '../lib/held-groups.ts'
import { useLiveSnapshot, useNow } from '../lib/live/live-context.tsx'
import { notify } from '../lib/notices.ts'
import { toSession } from '../lib/places.ts'

/** Characters of a title in the banner. */
const TITLE_CHARACTERS = 80

type Decision = (typeof GUARD_DECISIONS)[number]

/** Shows the requests that the guard holds, on every view, with the possible decisions. */
export function HeldRequests() {
  const { held } = useLiveSnapshot()
  if (held.length === 0) return null
  return (
    <section aria-label="Requests that wait" className="max-h-[45vh] overflow-y-auto border-b border-warn bg-warn-soft">
      <p role="alert" className="sr-only">
        {plural(held.length, 'request')} {held.length === 1 ? 'waits' : 'wait'} for your decision
      </p>
      <ul>
        {heldGroups(held).map((group) => (
          <Held key={group.key} group={group} />
        ))}
      </ul>
    </section>
  )
}

function Held({ group }: { group: HeldGroup }) {
  const { first, ids, agents } = group
  const { over } = first
  const [isDeciding, setDeciding] = useState(false)
  const decide = (decision: Decision, to?: number) => {
    setDeciding(true)
    void release(group, decision, to).finally(() => setDeciding(false))
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2 text-small first:border-t-0">
      <div className="flex min-w-0 flex-1 basis-72 items-start gap-2 text-ink">
        <OctagonPause className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
        <p className="min-w-0">
          <strong className="font-semibold">
            {ids.length === 1 ? 'A request' : plural(ids.length, 'request')} of <Who group={group} />
            {agents !== null && ` (${agents === 1 ? 'a subagent' : plural(agents, 'subagent')})`}{' '}
            {ids.length === 1 ? 'waits' : 'wait'} for you:
          </strong>{' '}
          {reasonOf(over)}.{' '}
          <span className="text-soft">
            <Which sessionId={first.session_id} />
            {first.spent_usd !== null && `Session so far: ${formatCost(first.spent_usd)}. `}
            <WaitLeft until={first.refused_at} />
          </span>
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" look="primary" disabled={isDeciding} onClick={() => decide('once')}>
          {ids.length === 1 ? 'Allow once' : 'Allow all once'}
        </Button>
        {over.cap !== 'unpriced' && (
          <Raise
            start={proposedLimit(first)}
            unit={unitOf(over.cap)}
            whose={whoseOf(over.cap)}
            isDisabled={isDeciding}
            onRaise={(to) => decide('raise', to)}
          />
        )}
        <Button size="small" look="danger" disabled={isDeciding} onClick={() => decide('stop')}>
          Stop
        </Button>
      </div>
    </li>
  )
}

function Who({ group: { first } }: { group: HeldGroup }) {
  const name = first.project === null ? 'a session' : projectName(first.project)
  if (first.session_id === null) return <>an unnamed session</>
  return (
    <Link
      {...toSession(first.session_id, {})}
      title={first.project ?? first.session_id}
      className="underline [overflow-wrap:anywhere]"
    >
      {name}
    </Link>
  )
}

/** Tells sessions of one project apart. */
function Which({ sessionId }: { sessionId: string | null }) {
  const live = useLiveSnapshot().sessions.find(({ session_id: id }) => id === sessionId)
  const known = useKnownSessions()?.get(sessionId ?? '')
  const title = known?.title ?? live?.prompt ?? null
  const model = live?.model ?? null
  return (
    <>
      {title !== null && `“${shortened(visibleText(title), TITLE_CHARACTERS)}”. `}
      {model !== null && `Model: ${modelName(model)}. `}
    </>
  )
}

/** Counts down to the moment when the request is refused. */
function WaitLeft({ until }: { until: string }) {
  const now = useNow(1000)
  const leftMs = Math.max(0, Math.ceil((Date.parse(until) - now) / 1000) * 1000)
  return (
    <span className="whitespace-nowrap tabular-nums" title={formatExact(until)}>
      Stops by itself in {formatDuration(leftMs)}.
    </span>
  )
}

interface RaiseProps {
  readonly start: number
  /** `$`, or the counted noun. */
  readonly unit: string
  /** What the raised limit applies to. */
  readonly whose: string
  readonly isDisabled: boolean
  readonly onRaise: (to: number) => void
}

function Raise({ start, unit, whose, isDisabled, onRaise }: RaiseProps) {
  const [text, setText] = useState(String(start))
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const to = Number(text)
    if (text.trim() === '' || !Number.isFinite(to)) return notify(`"${text}" is not a number`, 'warn')
    onRaise(to)
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-1.5">
      <label className="flex items-center gap-1.5 text-meta text-soft">
        Raise limit to{unit === '$' && ' $'}
        <input
          inputMode="decimal"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-7 w-20 rounded-small border border-line-strong bg-surface px-2 text-meta text-ink tabular-nums"
        />
        {unit !== '$' && unit}
      </label>
      <Button type="submit" size="small" disabled={isDisabled}>
        Raise
      </Button>
      <span className="text-meta text-soft">for {whose}, until Aspy restarts</span>
    </form>
  )
}

const WHOSE: Readonly<Record<string, string>> = {
  agent_tree: 'this agent',
  hour: 'this hour',
  day: 'today',
  repeat_calls: 'this call',
  request: 'every request',
}
const whoseOf = (cap: string): string => WHOSE[cap.replace(/_(?:usd|tokens)$/, '')] ?? 'this session'

const unitOf = (cap: string): string =>
  cap.endsWith('_usd')
    ? '$'
    : cap.endsWith('_tokens')
      ? 'tokens'
      : cap === 'agents_per_turn'
        ? 'agents'
        : cap === 'growing_fan_out'
          ? 'steps'
          : 'times'

/** `once` releases each request of the group; `raise` and `stop` apply to all of them anyway. */
async function release({ ids, first }: HeldGroup, decision: Decision, to?: number): Promise<void> {
  const targets = decision === 'once' ? ids : [first.id]
  const answers = targets.map((id) => call('guard.release', { id, decision, ...(to === undefined ? {} : { to }) }))
  for (const answer of await Promise.allSettled(answers))
    if (answer.status === 'rejected') notify(String((answer.reason as Error).message), 'warn')
}
