import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BASE_URL_COSTS } from '../../../shared/base-url-costs.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CommandLine } from '../../components/command-line.tsx'
import { Card } from '../../components/page.tsx'
import { claudeCodeQuery, type ClaudeCodeState, useConnect, useDisconnect } from './claude-code-queries.ts'

/** Connects Claude Code with Aspy and parts them again: what is set, what each step writes, costs and gains. */
export function ClaudeCodeCard() {
  const { data, error } = useQuery(claudeCodeQuery)
  return (
    <Card title="Claude Code" note="What Claude Code and Aspy know of each other">
      {data?.state ? (
        <Connection state={data.state} refusal={data.refusal} />
      ) : (
        <p className="px-5 pb-4 text-small text-soft" role={error ? 'alert' : undefined}>
          {error?.message ?? data?.refusal ?? 'Looking …'}
        </p>
      )}
    </Card>
  )
}

const PLUGIN_BADGES = {
  installed: { tone: 'good', text: 'connected' },
  out_of_date: { tone: 'warn', text: 'out of date' },
  absent: { tone: 'plain', text: 'not connected' },
  not_ours: { tone: 'bad', text: 'in the way' },
} as const

interface ConnectionProps {
  readonly state: ClaudeCodeState
  readonly refusal: string | null
}

function Connection({ state, refusal }: ConnectionProps) {
  const connect = useConnect()
  const disconnect = useDisconnect()
  const isBusy = connect.isPending || disconnect.isPending
  const { plugin, plugin_folder, settings_file, thinking_summaries } = state
  const mayInstall = refusal === null && plugin !== 'not_ours'
  const badge = PLUGIN_BADGES[plugin]
  const fault = connect.error ?? disconnect.error
  return (
    <>
      {refusal !== null && <p className="px-5 pb-2 text-small text-warn">{refusal}</p>}
      {fault !== null && (
        <p role="alert" className="px-5 pb-2 text-small text-bad">
          {fault.message}
        </p>
      )}
      <ul className="px-5 pb-2">
        <Step
          name="Plugin"
          badge={<Badge tone={badge.tone}>{badge.text}</Badge>}
          action={
            mayInstall &&
            plugin !== 'installed' && (
              <Button look="primary" disabled={isBusy} onClick={() => connect.mutate({ thinking: false })}>
                {plugin === 'absent' ? 'Connect' : 'Bring up to date'}
              </Button>
            )
          }
        >
          <p>
            Claude recalls past sessions by itself, and Aspy hears of prompts, tool durations, agents and compactions.
            It costs the description of one tool in each session, and hooks that wait for two seconds at most, and for
            nothing while Aspy is down.
          </p>
          <p>{PLUGIN_SAYS[plugin]}</p>
          <Path>{plugin_folder}</Path>
        </Step>
        <Step
          name="Thinking summaries"
          badge={
            thinking_summaries === null ? (
              <Badge tone="bad">unreadable</Badge>
            ) : (
              <Badge tone={thinking_summaries ? 'good' : 'warn'}>{thinking_summaries ? 'on' : 'off'}</Badge>
            )
          }
          action={
            mayInstall &&
            thinking_summaries === false && (
              <Button disabled={isBusy} onClick={() => connect.mutate({ thinking: true })}>
                Ask for thinking summaries
              </Button>
            )
          }
        >
          <p>
            Without them most sessions have no thinking to recall: only its signature comes. Sessions in the terminal
            have them from the next start on; for <code className="font-mono">claude -p</code> there is{' '}
            <code className="font-mono">aspy run --thinking</code>. Earlier sessions stay without.
          </p>
          <p>
            {thinking_summaries === null
              ? 'This file is no JSON; mend it first:'
              : `${plugin === 'installed' ? 'Sets' : 'Connects, and sets'} showThinkingSummaries in:`}
          </p>
          <Path>{settings_file}</Path>
        </Step>
        <Step name="Base URL" badge={<BaseUrlBadge state={state} />} action={null}>
          <p>{baseUrlSays(state.base_url)}</p>
          <p>
            With a base URL every session is recorded without <code className="font-mono">aspy run</code>. What it
            costs: {BASE_URL_COSTS}. It comes with a service that starts at login, so it is set up in a terminal:
          </p>
          <CommandLine command="npx aspy setup --base-url" />
        </Step>
        {state.can_undo && (
          <Step
            name="Disconnect"
            badge={null}
            action={
              !state.undo_in_terminal && (
                <Button disabled={isBusy} onClick={() => disconnect.mutate()}>
                  Disconnect
                </Button>
              )
            }
          >
            <p>
              Removes the plugin and puts back the settings as they were, but for those that somebody changed since.
              What is recorded stays.
            </p>
            {state.undo_in_terminal && (
              <>
                <p>The login service of the base URL may be this very app, so it is taken back in a terminal:</p>
                <CommandLine command="npx aspy setup --undo" />
              </>
            )}
          </Step>
        )}
      </ul>
    </>
  )
}

const PLUGIN_SAYS: Readonly<Record<ClaudeCodeState['plugin'], string>> = {
  installed: 'It lies in this folder:',
  out_of_date: 'It is of another version, place or port of Aspy than this one. It is replaced in this folder:',
  absent: "Of Claude Code's files connecting writes this one folder, and nothing else:",
  not_ours: 'Something that is not ours lies in its folder; move it away first:',
}

function BaseUrlBadge({ state: { base_url } }: { readonly state: ClaudeCodeState }) {
  if (base_url === null) return <Badge>not set</Badge>
  return base_url.leads_here ? <Badge tone="good">leads here</Badge> : <Badge tone="warn">leads elsewhere</Badge>
}

function baseUrlSays(base: ClaudeCodeState['base_url']): string {
  if (base === null) return 'None is set: only sessions started through Aspy are recorded as they happen.'
  const where = base.from === 'settings' ? "Claude Code's settings" : 'the environment that Aspy was started in'
  return `${base.url}, set in ${where}, by ${base.by_aspy ? 'aspy setup' : 'somebody else'}.`
}

interface StepProps {
  readonly name: string
  readonly badge: ReactNode
  readonly action: ReactNode
  readonly children: ReactNode
}

function Step({ name, badge, action, children }: StepProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b py-3.5 last:border-0">
      <div className="flex min-w-0 flex-1 basis-96 flex-col gap-1.5 text-small text-soft">
        <h3 className="flex items-center gap-2 font-medium text-ink">
          {name} {badge}
        </h3>
        {children}
      </div>
      {action}
    </li>
  )
}

function Path({ children }: { readonly children: string }) {
  return <code className="font-mono text-meta break-all text-ink">{children}</code>
}
