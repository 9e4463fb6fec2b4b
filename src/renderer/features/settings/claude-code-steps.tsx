import type { ReactNode } from 'react'
import { BASE_URL_COSTS } from '../../../shared/base-url-costs.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { AspyCommand } from '../../components/command-line.tsx'
import { typedAspy } from '../../lib/typed-aspy.ts'
import type { ClaudeCodeState } from '../../lib/client-setup.ts'

interface InstallProps {
  readonly state: ClaudeCodeState
  readonly mayInstall: boolean
  readonly isBusy: boolean
  readonly onClick: () => void
}

/** Badges of what setup writes, by its state. `done`: the word for what is there. */
const badgesOf = (done: string) =>
  ({
    installed: { tone: 'good', text: done },
    out_of_date: { tone: 'warn', text: 'out of date' },
    absent: { tone: 'plain', text: `not ${done}` },
    not_ours: { tone: 'bad', text: 'conflict' },
  }) as const

const PLUGIN_BADGES = badgesOf('connected')
const COMMAND_BADGES = badgesOf('installed')

const PLUGIN_NOTES: Readonly<Record<ClaudeCodeState['plugin'], string>> = {
  installed: 'It is installed in this folder:',
  out_of_date: 'It belongs to another version, location or port of Aspy. Updating replaces it in this folder:',
  absent: 'Connecting writes only this folder among Claude Code’s files:',
  not_ours: 'This folder contains something Aspy did not create. Move it away first:',
}

/** Installs or updates the plugin. */
export function PluginStep({ state: { plugin, plugin_folder }, mayInstall, isBusy, onClick }: InstallProps) {
  const badge = PLUGIN_BADGES[plugin]
  return (
    <Step
      name="Plugin"
      badge={<Badge tone={badge.tone}>{badge.text}</Badge>}
      action={
        mayInstall &&
        plugin !== 'installed' && (
          <Button look="primary" disabled={isBusy} onClick={onClick}>
            {plugin === 'absent' ? 'Connect' : 'Update'}
          </Button>
        )
      }
    >
      <p>
        Claude can search past sessions, and Aspy learns of prompts, tool durations, agents and compactions. It costs
        one tool description in each session, and hooks that wait two seconds at most, or not at all while Aspy is
        stopped.
      </p>
      <p>{PLUGIN_NOTES[plugin]}</p>
      <Path>{plugin_folder}</Path>
    </Step>
  )
}

/** Turns on Claude Code's thinking summaries. */
export function ThinkingStep({ state, mayInstall, isBusy, onClick }: InstallProps) {
  const { plugin, settings_file, thinking_summaries } = state
  return (
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
          <Button disabled={isBusy} onClick={onClick}>
            Turn on thinking summaries
          </Button>
        )
      }
    >
      <p>
        Without them, most sessions record no thinking, only signatures of it, so there is none to find. Terminal
        sessions get them from their next start. For <code className="font-mono">claude -p</code>, use{' '}
        <code className="font-mono">{typedAspy()} run --thinking</code>. Earlier sessions do not change.
      </p>
      <p>
        {thinking_summaries === null
          ? 'This file is not valid JSON. Fix it first:'
          : `${plugin === 'installed' ? 'Sets' : 'Connects, and sets'} showThinkingSummaries in:`}
      </p>
      <Path>{settings_file}</Path>
    </Step>
  )
}

interface CommandProps {
  readonly command: NonNullable<ClaudeCodeState['command']>
  readonly isBusy: boolean
  readonly onClick: (onPath: boolean) => void
}

/** Puts the `aspy` command where terminals find it, and removes it. */
export function CommandStep({ command: { state, file, note }, isBusy, onClick }: CommandProps) {
  const badge = COMMAND_BADGES[state]
  return (
    <Step
      name="Command"
      badge={<Badge tone={badge.tone}>{badge.text}</Badge>}
      action={
        <div className="flex gap-2">
          {(state === 'absent' || state === 'out_of_date') && (
            <Button disabled={isBusy} onClick={() => onClick(true)}>
              {state === 'absent' ? 'Install command' : 'Update command'}
            </Button>
          )}
          {(state === 'installed' || state === 'out_of_date') && (
            <Button disabled={isBusy} onClick={() => onClick(false)}>
              Remove command
            </Button>
          )}
        </div>
      }
    >
      <p>
        Lets a terminal run this app’s <code className="font-mono">aspy</code> command. It is one file, and no other
        file is overwritten:
      </p>
      <Path>{file}</Path>
      {note !== null && <p className="text-warn">{note}</p>}
    </Step>
  )
}

/** Shows the base URL; it is set up in a terminal. */
export function BaseUrlStep({ state: { base_url } }: Pick<InstallProps, 'state'>) {
  return (
    <Step name="Base URL" badge={<BaseUrlBadge base={base_url} />}>
      <p>{baseUrlNote(base_url)}</p>
      <p>
        With a base URL, every session is recorded without <code className="font-mono">aspy run</code>. What it costs:{' '}
        {BASE_URL_COSTS}. It needs a service that starts at login, so set it up in a terminal:
      </p>
      <AspyCommand args="setup --base-url" />
    </Step>
  )
}

function BaseUrlBadge({ base }: { readonly base: ClaudeCodeState['base_url'] }) {
  if (base === null) return <Badge>not set</Badge>
  return base.leads_here ? <Badge tone="good">points here</Badge> : <Badge tone="warn">points elsewhere</Badge>
}

function baseUrlNote(base: ClaudeCodeState['base_url']): string {
  if (base === null) return 'Not set: only sessions started through Aspy are recorded live.'
  const where = base.from === 'settings' ? 'Claude Code’s settings' : 'the environment that Aspy was started in'
  return `${base.url}, set in ${where}, ${base.by_aspy ? 'by aspy setup' : 'not by Aspy'}.`
}

/** Undoes what setup did. */
export function DisconnectStep({ state, isBusy, onClick }: Omit<InstallProps, 'mayInstall'>) {
  return (
    <Step
      name="Disconnect"
      action={
        !state.undo_in_terminal && (
          <Button disabled={isBusy} onClick={onClick}>
            Disconnect
          </Button>
        )
      }
    >
      <p>
        Removes the plugin and the command, and restores the previous settings, except those changed since. Recorded
        sessions are kept.
      </p>
      {state.undo_in_terminal && (
        <>
          <p>The base URL’s login service may be this app itself, so undo the setup in a terminal:</p>
          <AspyCommand args="setup --undo" />
        </>
      )}
    </Step>
  )
}

interface StepProps {
  readonly name: string
  readonly badge?: ReactNode
  readonly action?: ReactNode
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
