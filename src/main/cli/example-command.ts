import { Command } from 'commander'

/** A command with an example: the whole line as a person types it. Its help and docs/commands.md show it. */
export class ExampleCommand extends Command {
  example = ''

  override createCommand(name?: string): ExampleCommand {
    return new ExampleCommand(name)
  }

  /** Adds the command that an example uses: `aspy team invite Ada` uses the command `invite` of `aspy team`. */
  shown(example: string, description: string): ExampleCommand {
    const [, ...words] = example.split(' ')
    const command = this.command((this.parent === null ? words[0] : words[1]) ?? '').description(description)
    command.example = example
    return command.addHelpText('after', `\nExample:\n  ${example}`)
  }
}
