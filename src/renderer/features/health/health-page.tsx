import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { processorsTable, SINK_NAMES } from '../../../shared/columns/health.ts'
import type { Health } from '../../../shared/contract/health.ts'
import { upstreamWords } from '../../../shared/upstream-words.ts'
import { loaded } from '../../components/loaded.tsx'
import { type Sentence, Sentences } from '../../components/sentences.tsx'
import { Table } from '../../components/table.tsx'
import { Page, PageBody, Stat, StatRow } from '../../components/page.tsx'
import { formatBytes, formatCount, formatDuration, formatMoment, plural } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { recordingOf } from '../../lib/recording.ts'
import { offsetMinutes, startOfDay, viewerZone } from '../../lib/time-range.ts'
import { USUAL_WEEKS } from '../../lib/usual.ts'
import { DataCard } from './data-card.tsx'
import { Facts, FoldedCard } from './folded-card.tsx'
import { healthSentence, lostEvents, yesterdaySentence } from './health-line.ts'
import { RecorderCard } from './recorder-card.tsx'
import { Sinks } from './sinks.tsx'
import { WarningFix } from './warning-fix.tsx'

/** The recording state, current warnings with their fixes, and counters. */
export function HealthPage(): ReactNode {
  const query = useOperation('health.get', {})
  return (
    <Page title="Health">
      {loaded({ query, rows: 10 }, (health) => (
        <PageBody>
          <Verdict health={health} now={query.dataUpdatedAt} />
          {health.warnings.length > 0 && <Warnings warnings={health.warnings} />}
          <Numbers health={health} />
          <div className="gap-3 *:mb-3 *:break-inside-avoid min-[1100px]:columns-2">
            <RecorderCard health={health} />
            <FoldedCard title="Where it runs" note={health.proxy_url ?? 'no proxy'}>
              <Facts
                facts={[
                  ['Proxy', health.proxy_url ?? 'off'],
                  ['Upstream', upstreamWords(health)],
                  ...(health.unproven_sessions === null
                    ? []
                    : [['Unverified senders', unverifiedNote(health.unproven_sessions)] as const]),
                  ['Window and API', health.app_url ?? 'off'],
                  ['Data folder', health.data],
                  ['Version', health.version],
                  ...(health.files.state === 'not_a_release' ? [] : [['Files', filesNote(health.files)] as const]),
                  ['Running since', `${formatMoment(health.started_at)}, process ${health.pid}`],
                ]}
              />
            </FoldedCard>
            {health.sinks.length > 0 && (
              <FoldedCard
                title="Where else events go"
                note={health.sinks.map(({ name }) => SINK_NAMES[name]).join(', ')}
                isOpen={health.sinks.some(({ problem }) => problem !== null)}
              >
                <Sinks sinks={health.sinks} />
              </FoldedCard>
            )}
            {health.processors.length > 0 && (
              <FoldedCard
                title="Processors"
                note={`${plural(health.processors.length, 'step')} that every event goes through`}
                isOpen={health.processors.some(({ disabled }) => disabled !== null)}
              >
                <Processors processors={health.processors} />
              </FoldedCard>
            )}
            <CacheVerdicts />
            <Counts title="Not recorded" note="by reason" counts={health.dropped} isOpen={lostEvents(health) > 0} />
            <Counts title="Secrets removed" note="before anything was stored" counts={secretsIn(health)} />
            <Counts title="Identifiers replaced" note="each by a mark of its own" counts={namesIn(health)} />
            <Counts title="Unknown data" note="stored as it came" counts={health.unknown} />
            <Counts
              title="Models without a price"
              note="their tokens count, their cost does not"
              counts={Object.fromEntries(health.unpriced_models.map((model) => [model, null]))}
              isOpen
            />
            <DataCard />
          </div>
          <NothingTo health={health} />
        </PageBody>
      ))}
    </Page>
  )
}

/** What is replaced though it is not a secret: it says who somebody is. */
const NAMES: Readonly<Record<string, string>> = {
  'user-id': 'Your account and device, which the client names in each request',
  email: 'Email addresses',
}

const secretsIn = ({ redacted }: Health) =>
  Object.fromEntries(Object.entries(redacted).filter(([rule]) => !Object.hasOwn(NAMES, rule)))

const namesIn = ({ redacted }: Health) =>
  Object.fromEntries(Object.entries(redacted).flatMap(([rule, count]) => (NAMES[rule] ? [[NAMES[rule], count]] : [])))

const filesNote = ({ state, differing }: Health['files']): string =>
  state === 'intact' ? 'as in the package' : `${plural(differing.length, 'file')} not as in the package`

/** Requests that lack the secret of the address that Aspy gives its clients may be of another program. */
const unverifiedNote = (sessions: number): string =>
  sessions === 0 ? 'none' : `${plural(sessions, 'session')} without the secret of Aspy’s address`

const VERDICTS = {
  on: {
    icon: CircleCheck,
    look: 'bg-good-soft text-good',
    text: 'Everything that passes through Aspy is being recorded.',
  },
  warned: { icon: TriangleAlert, look: 'bg-warn-soft text-warn', text: 'Recording, with warnings.' },
  failed: {
    icon: CircleX,
    look: 'bg-bad-soft text-bad',
    text: 'Nothing is being recorded. Claude Code keeps working.',
  },
  off: {
    icon: TriangleAlert,
    look: 'bg-warn-soft text-warn',
    text: 'Recording is off. Claude Code keeps working.',
  },
} as const

function Verdict({ health, now }: { readonly health: Health; readonly now: number }) {
  const { icon: Icon, look, text } = VERDICTS[recordingOf(health)]
  const [midnight, offset] = [startOfDay(now, viewerZone()), offsetMinutes(now, viewerZone())]
  const days = useOperation('costs.series', {
    since: new Date(startOfDay(midnight, viewerZone(), USUAL_WEEKS * 7 + 1)).toISOString(),
    until: new Date(midnight).toISOString(),
    utc_offset_minutes: offset,
  }).data?.items
  const [today, yesterday] = [healthSentence(health), yesterdaySentence(days ?? [], midnight, offset)]
  const outside = useOperation('transcripts.running', {}).data?.items.filter(({ captured }) => !captured).length ?? 0
  const sentences: readonly Sentence[] = [
    ...(outside === 0 ? [] : [{ text: `${plural(outside, 'session')} outside Aspy: answers are not seen.` }]),
    ...(today === null ? [] : [{ text: today }]),
    ...(yesterday === null
      ? []
      : [
          {
            text: yesterday,
            links: [['yesterday', { to: '/sessions', search: { when: 'yesterday' } }]],
          } satisfies Sentence,
        ]),
  ]
  return (
    <div className={`flex items-center gap-3 rounded-medium px-5 py-3.5 ${look}`}>
      <Icon className="size-5 shrink-0" aria-hidden />
      <div>
        <p className="font-medium">{text}</p>
        <Sentences className="text-small" sentences={sentences} />
      </div>
    </div>
  )
}

function Warnings({ warnings }: Pick<Health, 'warnings'>) {
  return (
    <section aria-label="What to do">
      <h2 className="px-1 pb-2 font-semibold">
        {warnings.length === 1 ? 'One thing to do' : `${warnings.length} things to do`}
      </h2>
      <ul className="flex flex-col gap-3" aria-label="Warnings">
        {warnings.map((warning) => (
          <li key={warning.code} className="rounded-medium border border-warn bg-surface px-5 py-4">
            <p className="flex items-start gap-2.5 font-medium">
              <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
              {warning.message}
            </p>
            <WarningFix fix={warning.fix} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The few figures that say whether recording works. */
function Numbers({ health }: { health: Health }) {
  const lost = lostEvents(health)
  return (
    <StatRow>
      <Stat
        label="Recorded"
        value={formatCount(health.exchanges_recorded)}
        note={
          health.exchanges_seen === 0
            ? 'no request has passed since the start'
            : `of ${plural(health.exchanges_seen, 'request')} since the start, failed ones included${health.in_flight > 0 ? `, ${formatCount(health.in_flight)} in progress` : ''}`
        }
      />
      <Stat
        label="Lost"
        value={formatCount(lost)}
        tone={lost > 0 ? 'bad' : undefined}
        note={lost === 0 ? 'nothing lost' : 'see the reasons below'}
      />
      <Stat
        label="Waiting to be recorded"
        value={health.recorder_lag_ms === 0 ? 'Nothing' : formatDuration(health.recorder_lag_ms)}
        note={
          health.recorder_lag_p99_ms === null
            ? health.recorder_lag_ms === 0
              ? 'all that arrived is stored'
              : 'age of the oldest answer'
            : `99% recorded within ${formatDuration(health.recorder_lag_p99_ms)} in the last 5 minutes`
        }
      />
      <Stat
        label="Stored"
        value={formatBytes(health.database_bytes)}
        note={health.events_total === 1 ? '1 event' : `${formatCount(health.events_total)} events`}
      />
    </StatRow>
  )
}

interface CountsProps {
  readonly isOpen?: boolean
  readonly title: string
  readonly note: string
  readonly counts: Readonly<Record<string, number | null>>
}

const countsOf = (counts: CountsProps['counts']) => Object.entries(counts).filter(([, count]) => count !== 0)

/** Counts by name, highest first. Renders nothing if all are zero. */
function Counts({ title, note, counts, isOpen = false }: CountsProps) {
  const entries = countsOf(counts).sort((one, other) => (other[1] ?? 0) - (one[1] ?? 0))
  if (entries.length === 0) return null
  const sum = entries.reduce((all, [, count]) => all + (count ?? 0), 0)
  return (
    <FoldedCard title={title} note={sum === 0 ? note : `${formatCount(sum)} ${note}`} isOpen={isOpen}>
      <Facts facts={entries.map(([name, count]) => [name, count === null ? '' : formatCount(count)])} />
    </FoldedCard>
  )
}

/** Lists in one line the empty areas, which have no card of their own. */
function NothingTo({ health }: { health: Health }) {
  const quiet = [
    countsOf(health.dropped).length === 0 ? 'no events were dropped' : '',
    countsOf(secretsIn(health)).length === 0 ? 'no secrets were found' : '',
    countsOf(health.unknown).length === 0 ? 'all data was recognized' : '',
    health.unpriced_models.length === 0 ? 'every model has a price' : '',
    health.sinks.length === 0 ? 'events are sent nowhere else' : '',
    health.processors.length === 0 ? 'there are no filters or custom processors' : '',
  ].filter((text) => text !== '')
  if (quiet.length === 0) return null
  const text = quiet.join('; ')
  return <p className="-mt-3 px-1 text-small text-faint">{`${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`}</p>
}

function Processors({ processors }: { processors: Health['processors'] }) {
  return (
    <Table
      columns={processorsTable}
      rows={processors}
      keyOf={(processor) => processor.name}
      cells={{
        name: (processor, text) => (
          <>
            <span className="font-mono text-meta">{text}</span>
            {processor.disabled !== null && (
              <span className="block text-meta wrap-anywhere text-bad">disabled: {processor.disabled}</span>
            )}
          </>
        ),
      }}
    />
  )
}

/** Share of cache misses for which Aspy and the API give the same reason. */
function CacheVerdicts() {
  const query = useOperation('cache.summary', {}, { refetchMs: 60_000 })
  const { data } = query
  if (data?.vendor.compared === 0) return null
  return (
    <FoldedCard
      title="Cache causes"
      note={data && `${formatCount(data.vendor.agreed)} of ${formatCount(data.vendor.compared)} as the API says`}
    >
      {loaded({ query, look: 'line' }, (data) => (
        <p className="px-5 pb-4 text-small">
          The API and Aspy name the same cause for {formatCount(data.vendor.agreed)} of{' '}
          {formatCount(data.vendor.compared)} cache misses.
        </p>
      ))}
    </FoldedCard>
  )
}
