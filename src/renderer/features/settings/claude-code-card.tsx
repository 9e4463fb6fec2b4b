import { Card } from '../../components/page.tsx'
import { BaseUrlStep, CommandStep, DisconnectStep, PluginStep, ThinkingStep } from './claude-code-steps.tsx'
import { type ClaudeCodeState, useCommand, useConnect, useDisconnect, useSetup } from '../../lib/client-setup.ts'

/** Connects Claude Code to Aspy and disconnects it, showing what each step writes, its cost and its benefit. */
export function ClaudeCodeCard() {
  const { data, error } = useSetup()
  return (
    <Card title="Claude Code" note="how Claude Code and Aspy are connected">
      {data?.state ? (
        <Connection state={data.state} refusal={data.refusal} />
      ) : (
        <p className="px-5 pb-4 text-small text-soft" role={error ? 'alert' : undefined}>
          {error?.message ?? data?.refusal ?? 'Checking…'}
        </p>
      )}
    </Card>
  )
}

interface ConnectionProps {
  readonly state: ClaudeCodeState
  /** Why Aspy cannot change Claude Code's files here, or null. */
  readonly refusal: string | null
}

function Connection({ state, refusal }: ConnectionProps) {
  const connect = useConnect()
  const disconnect = useDisconnect()
  const command = useCommand()
  const isBusy = connect.isPending || disconnect.isPending || command.isPending
  const mayInstall = refusal === null && state.plugin !== 'not_ours'
  const error = connect.error ?? disconnect.error ?? command.error
  return (
    <>
      {refusal !== null && <p className="px-5 pb-2 text-small text-warn">{refusal}</p>}
      {error !== null && (
        <p role="alert" className="px-5 pb-2 text-small text-bad">
          {error.message}
        </p>
      )}
      <ul className="px-5 pb-2">
        <PluginStep {...{ state, mayInstall, isBusy }} onClick={() => connect.mutate({ thinking: false })} />
        <ThinkingStep {...{ state, mayInstall, isBusy }} onClick={() => connect.mutate({ thinking: true })} />
        {state.command !== null && (
          <CommandStep command={state.command} isBusy={isBusy} onClick={(onPath) => command.mutate(onPath)} />
        )}
        <BaseUrlStep state={state} />
        {state.can_undo && <DisconnectStep {...{ state, isBusy }} onClick={() => disconnect.mutate()} />}
      </ul>
    </>
  )
}
