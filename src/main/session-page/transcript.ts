import type { GuardAction } from '../../shared/guard-action.ts'
import { guardActionText } from '../../shared/guard-action-text.ts'
import type { Json } from '../../shared/json.ts'
import { withoutAnsi } from '../../shared/terminal-text.ts'
import { outputText } from '../../shared/tool-output.ts'
import { assistantLabel } from '../../shared/vendors.ts'
import type { Exported } from './exported.ts'
import { counted } from '../../shared/counted.ts'
import { count, dollars, duration } from './figures.ts'
import { escaped, note, plainText, preformatted } from './html-text.ts'
import { markdownHtml } from './markdown-html.ts'
import type { PageFacts } from './page-facts.ts'
import type { PageTimes } from './page-times.ts'
import type { Payload } from './settled-item.ts'
import { isOpen, mediaNotes, toolBody, toolCall, toolSummary } from './tool-call.ts'
import { promptText, type Row, type Turn } from './turns-of.ts'

/** An agent with what it did. */
export type AgentRow = Extract<Row, { kind: 'agent' }>

/** Writes the transcript of a page, row by row, until it has as many characters as it may. */
export class Transcript {
  readonly #facts: PageFacts
  readonly #times: PageTimes
  readonly #bound: number
  #characters = 0
  #left = 0
  #day = ''

  constructor(facts: PageFacts, times: PageTimes, bound: number) {
    this.#facts = facts
    this.#times = times
    this.#bound = bound
  }

  *html(turns: readonly Turn[]): Generator<string> {
    for (const turn of turns) {
      yield `<section id="turn-${turn.id}" aria-label="Turn ${turn.id}">\n`
      yield* this.#rows(turn.rows, 0)
      yield `${this.#end(turn)}</section>\n`
    }
    if (this.#left > 0)
      yield `${note(`cut here: ${count(this.#left)} later events are only in the data of this page`)}\n`
  }

  *#rows(rows: readonly Row[], depth: number): Generator<string> {
    for (const row of rows) {
      const html = row.kind === 'agent' ? this.#agentHead(row) : this.#row(row, depth)
      if (html === '') continue
      this.#characters += html.length
      if (this.#left > 0 || this.#characters > this.#bound) {
        this.#left += eventsIn(row)
        continue
      }
      yield (depth === 0 ? this.#newDay(row.item) : '') + html
      if (row.kind !== 'agent') continue
      yield* this.#rows(row.rows, depth + 1)
      yield '</div></details>\n'
    }
  }

  /** A line with the date before the first row of each day. */
  #newDay({ event }: Exported): string {
    const day = this.#times.day(event.ts_wall)
    if (day === this.#day) return ''
    this.#day = day
    return `<p class="day">${escaped(day)}</p>\n`
  }

  #row(row: Exclude<Row, AgentRow>, depth: number): string {
    const time = this.#times.clock(row.item.event.ts_wall)
    if (row.kind === 'tool') {
      const call = toolCall(row.item, row.result, this.#facts.session.project)
      const took = `<span class="took">${call.tookMs === null ? '' : duration(call.tookMs)}</span>`
      const id = call.failed || call.rejected ? idOf(row.item) : ''
      return folded('tool', `${toolSummary(call)}${took}${time}`, toolBody(call), isOpen(call), id)
    }
    const { event } = row.item
    const payload: Payload = event.payload
    const text = textOf(payload['text'])
    switch (event.kind) {
      case 'user_prompt':
        return prompt(row.item, depth, time)
      case 'assistant_text': {
        const author = assistantLabel(this.#facts.session.client)
        return text === '' ? '' : said('answer', depth === 0 ? author : 'Agent', markdownHtml(text), time)
      }
      case 'thinking':
        if (payload['left_out'] === true) return said('thinking', 'Thinking', note('left out'), time)
        return text === '' ? '' : folded('thinking', brief('Thinking', text, time), markdownHtml(text))
      case 'tool_result':
        return folded(
          'tool',
          brief('Result', '', time),
          preformatted(withoutAnsi(outputText(payload['output'] as Json))),
        )
      case 'compaction':
        return compaction(payload, time, idOf(row.item))
      case 'error': {
        // An answer that is cut off has the status of its beginning.
        const status = Number(payload['status']) < 400 ? '' : payload['status']
        const what = [textOf(payload['type']) || 'Error', status, row.times > 1 ? `×${row.times}` : '']
        return said(
          'error',
          what.filter(Boolean).join(' · '),
          plainText(textOf(payload['message'])),
          time,
          idOf(row.item),
        )
      }
      case 'guard_action':
        return said('guard', 'Guard', plainText(guardActionText(event.payload as unknown as GuardAction)), time)
      default:
        return folded('tool', brief('Output of a command', '', time), preformatted(withoutAnsi(text)))
    }
  }

  #agentHead(row: AgentRow): string {
    const { agent, item, result, rows } = row
    const call = item.event.kind === 'tool_call' ? toolCall(item, result, this.#facts.session.project) : null
    const figures = [
      agent?.agent_type ?? '',
      counted(agent?.tool_calls ?? rows.filter(({ kind }) => kind === 'tool').length, 'tool call'),
      agent?.cost_usd == null ? '' : dollars(agent.cost_usd),
    ]
    const ended =
      agent?.success === false || (call?.failed === true && !call.rejected)
        ? '<span class="outcome bad">✗ failed</span>'
        : ''
    const done = agent?.ended_at != null || result !== null ? '<span class="outcome good">✓ ok</span>' : ''
    const task = call?.shape.kind === 'agent' && !rows.some(isPrompt) ? markdownHtml(call.shape.prompt) : ''
    return (
      `<details class="row agent" id="agent-${escaped(row.id)}"><summary><b class="name">${escaped(agentName(row))}</b> ` +
      `<span class="what">${escaped(figures.filter((one) => one !== '').join(' · '))}</span>${ended || done}` +
      `<span class="took">${tookOf(agent)}</span>${this.#times.clock(item.event.ts_wall)}</summary><div class="inside">${task}\n`
    )
  }

  /** The cost and time of a turn, below it. */
  #end({ id }: Turn): string {
    const turn = this.#facts.turns.find(({ turn_id: one }) => one === id)
    if (turn === undefined) return ''
    const took = Date.parse(turn.ended_at) - Date.parse(turn.began_at)
    const cost = turn.cost_usd === null ? 'cost unknown' : escaped(dollars(turn.cost_usd))
    return `<p class="end">Turn ${id} · ${cost} · ${counted(turn.calls, 'model call')} · ${duration(took)}</p>\n`
  }
}

/** Returns the name of an agent: its task, or else its type. */
export function agentName({ agent, item, result }: AgentRow): string {
  const asked = item.event.kind === 'tool_call' ? toolCall(item, result, null).summary : ''
  return agent?.description ?? (asked || (agent?.agent_type ?? 'Agent'))
}

const isPrompt = (row: Row): boolean => row.kind === 'event' && promptText(row.item) !== null

function tookOf(agent: AgentRow['agent']): string {
  if (agent?.started_at == null || agent.ended_at === null) return ''
  return duration(Date.parse(agent.ended_at) - Date.parse(agent.started_at))
}

function eventsIn(row: Row): number {
  if (row.kind === 'event') return row.times
  const own = row.result === null ? 1 : 2
  return row.kind === 'tool' ? own : row.rows.reduce((sum, one) => sum + eventsIn(one), own)
}

/** A code fence or a heading. */
const PASTED = /^(?:```|#{1,6} )/m

function prompt(item: Exported, depth: number, time: string): string {
  const text = promptText(item)
  const media = mediaNotes(item.event.payload)
  if (text === null) {
    const byClient = textOf((item.event.payload as Payload)['text'])
    return byClient === '' ? '' : folded('note', brief('From the client', byClient, time), plainText(byClient))
  }
  return said('prompt', depth === 0 ? 'User' : 'Task', promptBody(text) + media, time)
}

/** Formats a prompt. A pasted plan is Markdown; what a person types is not, even if it has a star. */
export const promptBody = (text: string): string => (PASTED.test(text) ? markdownHtml(text) : plainText(text))

function compaction(payload: Payload, time: string, id: string): string {
  const by = payload['trigger'] === 'auto' ? 'automatically' : payload['trigger'] === 'manual' ? 'on request' : ''
  const [before, after] = [payload['tokens_before'], payload['tokens_after']]
  const tokens =
    typeof before === 'number' ? `${count(before)}${typeof after === 'number' ? ` → ${count(after)}` : ''} tokens` : ''
  const title = `Context compacted ${by}`.trimEnd()
  const summary = textOf(payload['summary'])
  const body =
    payload['left_out'] === true
      ? note('left out')
      : summary === ''
        ? note('no readable summary')
        : markdownHtml(summary)
  return folded(
    'compaction',
    `<b class="name">${title}</b> <span class="what">${tokens}</span>${time}`,
    `<p class="soft">Everything above was replaced by this summary in the model’s context.</p>${body}`,
    false,
    id,
  )
}

const brief = (name: string, text: string, time: string): string =>
  `<b class="name">${name}</b> <span class="what">${escaped(text.trimStart().slice(0, 160).replaceAll(/\s+/g, ' '))}</span>${time}`

const said = (name: string, author: string, body: string, time: string, id = ''): string =>
  `<div class="row ${name}"${named(id)}><p class="by"><b class="name">${escaped(author)}</b>${time}</p>${body}</div>\n`

const folded = (name: string, summary: string, body: string, open = false, id = ''): string =>
  `<details class="row ${name}"${named(id)}${open ? ' open' : ''}><summary>${summary}</summary><div class="inside">${body}</div></details>\n`

const named = (id: string): string => (id === '' ? '' : ` id="${id}"`)

/** Returns the id of the element of a failure or a compaction, to which the rest of the page links. */
export const idOf = ({ event }: Exported): string => `event-${escaped(event.uuid)}`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
