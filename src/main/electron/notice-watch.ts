import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import type { HeldRequest } from '../../shared/contract/guard.ts'
import type { ServiceNews } from '../../shared/contract/live.ts'
import type { Health } from '../../shared/contract/health.ts'
import { reasonOf } from '../../shared/guard-reason.ts'
import type { EventSummary } from '../../shared/live-feed.ts'
import { sessionAddress } from './app-links.ts'
import type { DesktopSettings } from './desktop-settings.ts'

/** A system notification: what happened, and the view that shows it. */
export interface Notice {
  readonly title: string
  readonly body: string
  readonly address: string
}

export type NoticeWatch = ReturnType<typeof createNoticeWatch>

/** Events that arrive later than this after they happened (import, wake from sleep) are not reported, in ms. */
const NEWS_MS = 2 * 60_000
const MAX_TEXT = 140

/**
 * Decides which notifications to show while the user is elsewhere. `settings` is read each time; `isLooking` returns
 * whether the window has the focus.
 */
export function createNoticeWatch(options: {
  readonly settings: () => DesktopSettings
  readonly isLooking: () => boolean
  readonly notify: (notice: Notice) => void
}) {
  const { settings, isLooking, notify } = options
  const prompts = new Map<string, EventSummary>()
  let isReported = false
  let waiting: ReadonlySet<string> = new Set()
  let restarts: { readonly run: string; readonly count: number } | null = null

  function capture(health: Health | null): void {
    const hasStopped = health === null || (health.status !== 'ok' && health.recorder !== 'off')
    if (!hasStopped) isReported = false
    else if (!isReported) {
      isReported = true
      const [warning] = health?.warnings ?? []
      const body = warning === undefined ? 'Aspy is not responding.' : `${warning.message} ${warning.fix.text}`
      notify({ title: 'Aspy is not recording', body, address: '/health' })
    }
  }

  function restart(health: Health | null): void {
    if (health === null) return
    const before = restarts?.run === health.id ? restarts.count : 0
    restarts = { run: health.id, count: health.recorder_restarts }
    if (health.recorder_restarts <= before) return
    notify({
      title: 'The recorder was restarted',
      body: 'It exited unexpectedly. Traffic was not affected, and everything captured meanwhile is being recorded.',
      address: '/health',
    })
  }

  function turnEnded(event: EventSummary): void {
    const prompt = prompts.get(event.session_id)
    // The next prompt may come before the end of a turn that nothing else ended.
    if (prompt === undefined || event.turn_id < prompt.turn_id) return
    prompts.delete(event.session_id)
    const { long_turn_minutes: limit } = settings().notices
    const endedAt = Date.parse(event.ts_wall)
    if (limit === 0 || isLooking() || Math.abs(Date.now() - endedAt) > NEWS_MS) return
    const minutes = (endedAt - Date.parse(prompt.ts_wall)) / 60_000
    if (minutes < limit) return
    notify({
      title: `Done after ${minutes < 1.5 ? 'a minute' : `${Math.round(minutes)} minutes`}`,
      body: cut(prompt.text),
      address: sessionAddress(event.session_id),
    })
  }

  return {
    budgets(reached: readonly BudgetStatus[]) {
      if (!settings().notices.budget_reached) return
      for (const { project, period, limit_usd: limit, spent_usd: spent, mark } of reached) {
        const scope = project === null ? '' : ` for ${project}`
        notify({
          title: `${mark ?? 0}% of this ${period}'s budget is spent`,
          body: `$${spent.toFixed(2)} of $${limit.toFixed(2)}${scope}, at API list prices.`,
          address: '/costs',
        })
      }
    },
    news(news: readonly ServiceNews[]) {
      // The app itself leaves out clients that wait, if that is switched off.
      const wanted = news.filter(({ kind }) => (kind === 'waits' ? !isLooking() : settings().notices.budget_reached))
      for (const { title, text, session_id: session } of wanted)
        notify({ title, body: text, address: session === undefined ? '/costs' : sessionAddress(session) })
    },
    /** All requests that wait for a decision now. */
    held(held: readonly HeldRequest[]) {
      const fresh = held.filter((request) => !waiting.has(holdOf(request)))
      waiting = new Set(held.map(holdOf))
      const [first] = fresh
      if (first === undefined || isLooking()) return
      const more = fresh.length === 1 ? '' : ` ${fresh.length} requests wait.`
      notify({
        title: 'A request waits for your decision',
        body: `${sentence(reasonOf(first.over))}${more}`,
        address: first.session_id === null ? '/live' : sessionAddress(first.session_id),
      })
    },
    /** null if the app did not answer. */
    health(health: Health | null) {
      if (!settings().notices.capture_stopped) return
      capture(health)
      restart(health)
    },
    events(events: readonly EventSummary[]) {
      for (const event of events) {
        if (event.agent_id !== null) continue
        if (event.kind === 'user_prompt') prompts.set(event.session_id, event)
        else if (event.kind === 'turn_ended') turnEnded(event)
        else if (event.kind === 'session_ended') prompts.delete(event.session_id)
      }
    },
  }
}

/** Requests of one session over the same cap cause one notice. */
const holdOf = ({ id, session_id, over }: HeldRequest) => `${session_id ?? id} ${over.cap} ${over.scope}`
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
const cut = (text: string) => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`)
