import { Link } from '@tanstack/react-router'
import { Shield, ShieldAlert, ShieldOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClasses } from '../../../components/button.tsx'
import { KindIcon } from '../../../components/event-kind.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Meter } from '../../../components/meter.tsx'
import { Card, Page, PageBody } from '../../../components/page.tsx'
import { formatMoment, formatShare, projectName } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { GuardNotes } from './guard-notes.tsx'
import type { Setting } from '../queries.ts'
import { settingLabel } from '../setting-labels.ts'
import { SettingRow } from '../setting-row.tsx'
import {
  capAmount,
  type CapUse,
  capsOf,
  guardSentences,
  type GuardStatus,
  NEARLY,
  nearlyFull,
  usedShare,
  usedSpan,
} from './cap-words.ts'
import { toSession } from '../../../lib/places.ts'
import { knownCost } from '../../../../shared/known-figures.ts'
import { visibleText } from '../../../../shared/visible-text.ts'

const CARDS = [
  {
    title: 'Caps on spending',
    note: 'for all projects, at API list prices',
    keys: ['session_usd', 'day_usd', 'hour_usd'],
  },
  {
    title: 'Caps on runaway work',
    note: 'for all projects',
    keys: ['agents_per_turn', 'repeat_calls', 'growing_fan_out'],
  },
] as const
const MORE = [
  'request_usd',
  'agent_tree_usd',
  'request_tokens',
  'session_tokens',
  'agent_tree_tokens',
  'hour_tokens',
  'day_tokens',
  'strict',
  'fail_open',
  'decide_ms',
] as const

/** The caps with how full they are, what happens at one, and what the guard did: the one place to see and change them. */
export function GuardPage(): ReactNode {
  const settings = useOperation('config.get', {})
  return (
    <Page title="Guard" actions={<OtherLimits />}>
      {loaded({ query: settings, rows: 10 }, ({ items }) => (
        <GuardBody settings={items.filter(({ key }) => key.startsWith('guard.'))} />
      ))}
    </Page>
  )
}

/** What people may look for here instead. */
function OtherLimits() {
  return (
    <>
      <Link to="/settings" search={{ q: 'budgets' }} className={buttonClasses('ghost')}>
        Budgets only notify
      </Link>
      <Link to="/costs" search={{ tab: 'limits' }} className={buttonClasses('ghost')}>
        Limits of your plan
      </Link>
    </>
  )
}

function GuardBody({ settings }: { readonly settings: readonly Setting[] }) {
  const { data: status } = useOperation('guard.get', {}, { refetchMs: 10_000 })
  const caps = status === undefined ? [] : capsOf(status)
  const ofKey = (name: string) => settings.filter(({ key }) => key === `guard.${name}`)
  const row = (name: string) =>
    ofKey(name).map((setting) => (
      <SettingRow key={setting.key} setting={setting} hidesKey>
        {caps
          .filter(({ project, cap }) => project === null && cap === name)
          .map((use) =>
            use.cap === 'session_usd' ? <UseOfSession key={name} use={use} /> : <Use key={name} use={use} />,
          )}
      </SettingRow>
    ))
  const holdSeconds = Number(ofKey('hold_seconds')[0]?.value ?? 0)
  const ofProjects = caps.filter(({ project }) => project !== null)
  const areMoreSet = settings.some(
    ({ key, origin }) => origin !== 'default' && MORE.some((name) => key === `guard.${name}`),
  )
  return (
    <PageBody>
      <div className="mx-auto flex w-full max-w-[64rem] flex-col gap-6">
        {status !== undefined && <Verdict status={status} holdSeconds={holdSeconds} />}
        {CARDS.map(({ title, note, keys }) => (
          <Card key={title} title={title} note={note}>
            <ul className="px-5 pb-2">{keys.map(row)}</ul>
          </Card>
        ))}
        <Card title="Projects" note="their own caps">
          {ofProjects.length > 0 && (
            <ul className="flex flex-col gap-3 px-5 pb-3" aria-label="Use of the caps of projects">
              {ofProjects.map((use) => (
                <li key={`${use.project} ${use.cap}`}>
                  <p className="text-small" title={use.project ?? undefined}>
                    <span className="font-medium">{projectName(use.project)}</span>, {settingLabel(`guard.${use.cap}`)}:{' '}
                    {capAmount(use.cap, use.limit)}
                  </p>
                  <Use use={use} />
                </li>
              ))}
            </ul>
          )}
          <ul className="px-5 pb-2">{row('projects')}</ul>
        </Card>
        <Card title="What happens at a cap">
          <ul className="px-5 pb-2">{['action', 'hold_seconds', 'when_away'].map(row)}</ul>
        </Card>
        <Actions />
        <Card>
          <details open={areMoreSet} className="px-5 py-3.5">
            <summary className="min-h-6 cursor-pointer text-body font-semibold">
              Rarer caps, tokens, and how requests are estimated
            </summary>
            <ul className="pt-2">{MORE.map(row)}</ul>
          </details>
        </Card>
      </div>
    </PageBody>
  )
}

function Verdict({ status, holdSeconds }: { readonly status: GuardStatus; readonly holdSeconds: number }) {
  const uses = capsOf(status)
  const isOn = uses.length > 0
  const isFull = nearlyFull(uses) !== null
  const Icon = !isOn ? ShieldOff : isFull ? ShieldAlert : Shield
  const look = !isOn ? 'border bg-surface text-ink' : isFull ? 'bg-warn-soft text-warn' : 'bg-good-soft text-good'
  return (
    <section aria-label="State of the guard" className={`flex items-start gap-3 rounded-medium px-5 py-3.5 ${look}`}>
      <Icon className="mt-0.5 size-5 shrink-0" aria-hidden />
      <div className="min-w-0">
        <p className="font-medium">
          {isOn
            ? 'The guard is on: it stops requests before they cost more than you allow.'
            : 'The guard is off. It can stop a request before it costs more than you allow.'}
        </p>
        <p className="text-small">{guardSentences(status, holdSeconds).join(' ')}</p>
        {isOn && <GuardNotes />}
      </div>
    </section>
  )
}

/** How full the cap of a session is: by the one that spent most, of those at work in the last day. */
function UseOfSession({ use }: { readonly use: CapUse }) {
  const { data } = useOperation('sessions.list', { active_since: '24h', sort: 'cost', limit: 1 }, { refetchMs: 10_000 })
  const [top] = data?.items ?? []
  return top !== undefined && <Use use={{ ...use, used: knownCost(top) }} />
}

/** How full a cap is. */
function Use({ use }: { readonly use: CapUse }) {
  const { cap, limit, used } = use
  const share = usedShare(use)
  if (used === null || share === null) return null
  const label = `${settingLabel(`guard.${cap}`)}: used`
  return (
    <p className="mt-1.5 flex max-w-md flex-wrap items-center gap-x-3 gap-y-1 text-meta text-soft tabular-nums">
      <span className="flex min-w-24 flex-1">
        <Meter label={label} share={share} warnFrom={NEARLY} badFrom={1} />
      </span>
      <span className={share >= 1 ? 'font-medium text-bad' : share >= NEARLY ? 'font-medium text-warn' : ''}>
        {formatShare(share)}: {capAmount(cap, used)} of {capAmount(cap, limit)} {usedSpan(use)}
      </span>
    </p>
  )
}

/** The session and the project that an action was about. */
function Whose({ sessionId }: { readonly sessionId: string }) {
  const { data } = useOperation('sessions.get', { session_id: sessionId })
  if (data === undefined) return null
  const title = visibleText(data.title ?? 'Untitled session')
  return (
    <span className="max-w-80 min-w-0 truncate text-meta text-soft" title={`${title}, ${data.project ?? 'no project'}`}>
      <span className="font-medium">{projectName(data.project)}</span> · {title}
    </span>
  )
}

/** The newest actions of the guard. */
function Actions() {
  const { data } = useOperation('events.recent', { kinds: ['guard_action'], limit: 10 }, { refetchMs: 10_000 })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title="What it did" note="the newest first">
      <ul className="px-5 pb-3 text-small">
        {data.items.map(({ uuid, session_id, ts_wall, text }) => (
          <li key={uuid} className="flex flex-wrap items-center gap-x-3 border-b py-1.5 last:border-0">
            <KindIcon kind="guard_action" />
            <Link
              {...toSession(session_id, { event: uuid })}
              className="inline-flex min-h-6 min-w-0 flex-1 items-center hover:underline"
            >
              {text}
            </Link>
            <Whose sessionId={session_id} />
            <span className="text-meta text-faint">{formatMoment(ts_wall)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
