import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { ArrowLeft, FileQuestionMark } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Exchange } from '../../../shared/contract/requests.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Badge } from '../../components/badge.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { loaded } from '../../components/loaded.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { Segments } from '../../components/segments.tsx'
import { Empty } from '../../components/states.tsx'
import { formatBytes, formatCost, formatCount, formatDuration, plural } from '../../lib/format.ts'
import { modelName } from '../../../shared/vendors.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { useOperation } from '../../lib/operation.ts'
import { REQUEST_KIND_LABELS } from '../../lib/request-kinds.ts'
import { type BlockCost, BlockList } from './block-list.tsx'
import { ContextFill } from './context-fill.tsx'
import { contextParts, inputTokens, type PartSize } from './context-parts.ts'
import { cutWords } from '../../../shared/cut-words.ts'
import { asCurl } from './curl.ts'
import { messageBlocks, parametersOf, systemBlocks, toolBlocks } from './exchange-blocks.ts'
import { EXCHANGE_PARTS, type ExchangePart } from './exchange-search.ts'
import { RequestChanges } from './request-changes.tsx'
import { RequestCost } from './request-cost.tsx'
import { RequestWhy } from './request-why.tsx'
import { toSession } from '../../lib/places.ts'
import { Moment } from '../../components/moment.tsx'

const route = getRouteApi('/exchanges/$uuid')

const PART_LABELS: Readonly<Record<ExchangePart, string>> = {
  messages: 'Messages',
  answer: 'Answer',
  changes: 'Changes',
  system: 'System prompt',
  tools: 'Tools',
  headers: 'Headers',
  parameters: 'Parameters',
}

/** One API request as it was sent and answered. */
export function ExchangePage(): ReactNode {
  const { uuid } = route.useParams()
  const query = useOperation('requests.get', { uuid })
  return loaded({ query, rows: 12, label: 'Loading request', missing: <NoExchange uuid={uuid} /> }, (exchange) => (
    <ExchangeView key={uuid} exchange={exchange} />
  ))
}

/** An event that is not a request, or whose request was not captured, is shown in its session. */
function NoExchange({ uuid }: { readonly uuid: string }) {
  const { data: event, isPending } = useOperation('events.get', { uuid }, { retries: false })
  if (isPending) return null
  if (event !== undefined) {
    const { session_id: sessionId } = event
    return <Navigate {...toSession(sessionId, { event: uuid })} replace />
  }
  return (
    <Empty icon={FileQuestionMark} title="No such request">
      It may have been deleted with its session. See{' '}
      <Link to="/sessions" search={{}} className="text-accent underline underline-offset-2">
        all sessions
      </Link>
      .
    </Empty>
  )
}

function ExchangeView({ exchange }: { exchange: Exchange }) {
  const navigate = route.useNavigate()
  const part: ExchangePart = route.useSearch().part ?? 'messages'
  const show = (next: ExchangePart) =>
    void navigate({ search: { part: next === 'messages' ? undefined : next }, replace: true })
  useHotkeys(Object.fromEntries(EXCHANGE_PARTS.map((name, at) => [String(at + 1), () => show(name)])))
  const parts = useMemo(() => contextParts(exchange.body ?? {}, inputTokens(exchange.usage)), [exchange])
  const curl = useMemo(() => asCurl(exchange), [exchange])
  return (
    <div className="flex h-full min-h-0 flex-col max-[700px]:overflow-y-auto [&>:last-child]:max-[700px]:min-h-[70vh]">
      <header className="flex shrink-0 items-start gap-3 px-6 pt-3 pb-3">
        <Link
          {...toSession(exchange.session_id, { tab: 'requests' })}
          aria-label="All requests of this session"
          title="All requests of this session"
          className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink"
        >
          <ArrowLeft className="size-4" aria-hidden />
        </Link>
        <div className="min-w-0 flex-1">
          <h1 className="flex flex-wrap items-center gap-x-3 text-title leading-7 font-semibold tracking-tight">
            {REQUEST_KIND_LABELS[exchange.request_kind]}
            {exchange.tools.length > 0 && ` of ${visibleText(exchange.tools.join(', '))}`}
            <span className="font-normal text-soft">{exchange.model === null ? '' : modelName(exchange.model)}</span>
            {exchange.agent_id !== null && <Badge title={exchange.agent_id}>subagent</Badge>}
            {exchange.retry_of !== null && <Badge tone="warn">retry</Badge>}
          </h1>
          <p className="flex flex-wrap gap-x-3 text-meta text-faint">
            <Moment at={exchange.ts_wall} />
            <Link
              {...toSession(exchange.session_id, { tab: 'timeline', turn: String(exchange.turn_id) })}
              title="Show in the timeline"
              className="text-accent hover:underline"
            >
              turn {exchange.turn_id}
            </Link>
            <span className="font-mono">
              {exchange.method} {exchange.path}
            </span>
          </p>
        </div>
        <CopyButton look="plain" text={curl} label="Copy as cURL" notice="Copied as cURL, without the API key" />
      </header>
      <RequestWhy exchange={exchange} />
      <Numbers exchange={exchange} />
      <div className="grid shrink-0 gap-x-6 gap-y-3 border-t pt-3 min-[1100px]:grid-cols-[minmax(26rem,1fr)_minmax(0,2fr)]">
        <RequestCost exchange={exchange} />
        {parts.length > 0 && (
          <section aria-label="Context breakdown" className="min-w-0 px-6 pb-4">
            <h2 className="label pb-2">Context breakdown: {counts(exchange, parts)}</h2>
            <ContextFill parts={parts} />
          </section>
        )}
      </div>
      <div className="flex shrink-0 border-y px-6 py-2">
        <Segments
          label="Exchange part"
          options={EXCHANGE_PARTS.map((name, at) => ({
            value: name,
            name: PART_LABELS[name],
            title: `${PART_LABELS[name]} (${at + 1})`,
          }))}
          value={part}
          onChange={show}
        />
      </div>
      <Part exchange={exchange} part={part} tokensPerCharacter={sumOf(parts, 'tokens') / sumOf(parts, 'characters')} />
    </div>
  )
}

function Numbers({ exchange }: { exchange: Exchange }) {
  const { usage, status, response, duration_ms: took, ttft_ms: ttft } = exchange
  const pace = usage && took !== null && ttft !== null && took > ttft ? usage.output_tokens / (took - ttft) : null
  return (
    <dl className="grid shrink-0 grid-cols-[repeat(auto-fit,minmax(5.4rem,1fr))] gap-x-4 gap-y-2 px-6 pb-3">
      <Figure label="Status" tone={status !== null && status >= 400 ? 'text-bad' : ''}>
        {status ?? (response === null ? 'pending' : '–')}
      </Figure>
      <Figure label="Stop reason" note={exchange.cut_by === null ? undefined : cutWords(exchange.cut_by)}>
        {exchange.stop_reason ?? '–'}
      </Figure>
      <Figure label="First token">{formatDuration(ttft)}</Figure>
      <Figure label="Duration">{formatDuration(took)}</Figure>
      <Figure label="Tokens/s">{formatCount(pace && pace * 1000)}</Figure>
      <Figure label="Cost" note="API list price">
        {formatCost(usage?.cost_usd)}
      </Figure>
      <Figure label="Body size" note={response ? `${formatBytes(response.body_bytes)} response` : undefined}>
        {formatBytes(exchange.body_bytes)}
      </Figure>
    </dl>
  )
}

interface FigureProps {
  readonly label: string
  readonly note?: string | undefined
  readonly tone?: string
  readonly children: ReactNode
}

function Figure({ label, note, tone = '', children }: FigureProps) {
  if (children === formatCount(null)) return null // As most of a failed request.
  return (
    <div className="min-w-0">
      <dt className="label">{label}</dt>
      <dd className={`truncate text-figure font-semibold tracking-tight ${tone}`}>{children}</dd>
      {note !== undefined && <dd className="truncate text-micro text-faint">{note}</dd>}
    </div>
  )
}

interface PartProps {
  readonly exchange: Exchange
  readonly part: ExchangePart
  readonly tokensPerCharacter: number
}

function Part({ exchange, part, tokensPerCharacter }: PartProps) {
  const { body } = exchange
  if (part === 'headers') return <Headers exchange={exchange} />
  if (part === 'changes') return <RequestChanges uuid={exchange.uuid} />
  if (part === 'answer') {
    return (
      <div className="flex min-h-0 flex-1 flex-col">
        {exchange.response?.error && (
          <p role="alert" className="traffic mx-6 mt-3 rounded-small bg-bad-soft px-3 py-2 text-bad">
            {exchange.response.error}
          </p>
        )}
        <BlockList
          label="Answer"
          empty="No answer was recorded."
          blocks={exchange.blocks.map((block) => ({
            key: block.uuid,
            owner: block.tool_name ?? 'assistant',
            type: block.kind,
            text: block.text === '' ? 'No text, only a signature.' : block.text,
            cached: false,
          }))}
        />
      </div>
    )
  }
  if (body === null)
    return <Empty icon={FileQuestionMark} title={exchange.body_missing ?? 'The request body was not stored.'} />
  if (part === 'parameters') {
    return (
      <ScrollRegion label="Parameters" className="min-h-0 flex-1 px-6 py-4">
        <CodeBlock code={parametersOf(body)} language="json" />
      </ScrollRegion>
    )
  }
  return <BodyBlocks exchange={exchange} body={body} part={part} tokensPerCharacter={tokensPerCharacter} />
}

interface BodyBlocksProps extends PartProps {
  readonly body: Readonly<Record<string, unknown>>
}

/** Says what the tokens of the breakdown are. */
function counts({ usage }: Exchange, parts: readonly PartSize[]): string {
  const counted = inputTokens(usage)
  return counted === 0
    ? `about ${plural(sumOf(parts, 'tokens'), 'token')}, at four characters each`
    : `${plural(counted, 'token')} of input, as the API counted; the parts are estimated from their text`
}

const sumOf = (parts: readonly PartSize[], key: 'tokens' | 'characters'): number =>
  parts.reduce((sum, part) => sum + part[key], 0)

/** The blocks of a part of the body, with the cost of each while it was carried. */
function BodyBlocks({ exchange, body, part, tokensPerCharacter }: BodyBlocksProps) {
  const input = { session_id: exchange.session_id, exchange: exchange.uuid, limit: 1000 }
  const { data: costs } = useOperation('carry.session', input, { select: costsByPlace })
  const blocks = part === 'system' ? systemBlocks(body) : part === 'tools' ? toolBlocks(body) : messageBlocks(body)
  return (
    <BlockList
      key={part}
      label={PART_LABELS[part]}
      blocks={blocks}
      costs={costs}
      tokensPerCharacter={tokensPerCharacter}
      empty={`No ${PART_LABELS[part].toLowerCase()} in this request.`}
    />
  )
}

function costsByPlace({ items }: OperationOutput<'carry.session'>): ReadonlyMap<number, BlockCost> {
  return new Map(items.map((item) => [item.entered.position, { usd: item.usd, requests: item.requests }]))
}

function Headers({ exchange }: { exchange: Exchange }) {
  return (
    <ScrollRegion label="Headers" className="min-h-0 flex-1 px-6 py-4">
      <div className="grid gap-6 min-[1240px]:grid-cols-2">
        <HeaderTable title="Request headers" headers={exchange.headers} />
        <HeaderTable title="Response headers" headers={exchange.response?.headers ?? []} />
      </div>
    </ScrollRegion>
  )
}

function HeaderTable({ title, headers }: { title: string; headers: readonly (readonly [string, string])[] }) {
  return (
    <section aria-label={title}>
      <h2 className="label mb-2">{title}</h2>
      {headers.length === 0 && <p className="text-soft">No headers were recorded.</p>}
      <dl className="grid grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
        {headers.map(([name, value], index) => (
          <div key={`${name}-${index}`} className="contents">
            <dt className="font-mono text-meta text-soft wrap-anywhere">{name}</dt>
            <dd className="traffic font-mono text-meta">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
