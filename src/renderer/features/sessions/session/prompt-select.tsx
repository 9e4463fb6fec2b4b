import { firstCharacters } from '../../../../shared/cut-text.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Select } from '../../../components/select.tsx'
import { promptText } from '../../../lib/snippet.ts'
import { promptsAround } from './prompts-around.ts'

interface PromptSelectProps {
  readonly prompts: readonly { readonly uuid: string; readonly content: string }[]
  readonly current: string | undefined
  readonly onOpen: (uuid: string) => void
}

/** A menu of prompts near the current one, for windows too narrow for the outline. */
export function PromptSelect({ prompts, current, onOpen }: PromptSelectProps) {
  const at = prompts.findIndex((prompt) => prompt.uuid === current)
  const { from, until } = promptsAround(prompts.length, at)
  return (
    <Select
      label="Jump to a prompt"
      value=""
      className="w-full max-w-44 min-w-0"
      onChange={(uuid) => uuid !== '' && onOpen(uuid)}
      options={[
        ['', 'Jump to…'],
        ...prompts
          .slice(from, until)
          .map(
            (prompt, index) =>
              [
                prompt.uuid,
                `${from + index + 1}. ${firstCharacters(visibleText(promptText(prompt.content)), 80)}`,
              ] as const,
          ),
      ]}
    />
  )
}
