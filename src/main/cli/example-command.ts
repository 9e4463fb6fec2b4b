import { Command, type Help, type Option } from 'commander'
import { parserError } from './parser-errors.ts'

/** Heading of the options that every command accepts. They stand below a command's own. */
export const COMMON_OPTIONS = 'Options of every command:'

/** Columns beside a term of the help, from which its text is there; else it is below. */
const LEAST_ROOM = 32

/** The command that shows help, of the program and of each group. */
export const HELP_COMMAND = ['help [command]', 'Show help for a command'] as const

/** A command with an example: the whole line as a person types it. Its help and docs/commands.md show it. */
export class ExampleCommand extends Command {
  example = ''

  override createHelp(): Help {
    const help = super.createHelp()
    const visible = help.visibleOptions.bind(help)
    const isCommon = ({ helpGroupHeading }: Option) => helpGroupHeading === COMMON_OPTIONS
    help.visibleOptions = (command) => visible(command).toSorted((a, b) => Number(isCommon(a)) - Number(isCommon(b)))
    help.minWidthToWrap = 1
    const formatItem = help.formatItem.bind(help)
    help.formatItem = (term, termWidth, text, helper) => {
      const width = help.helpWidth ?? 80
      if (width - termWidth >= LEAST_ROOM) return formatItem(term, termWidth, text, helper)
      return `  ${term}\n${help.boxWrap(text, width - 6).replaceAll(/^/gm, '      ')}`
    }
    // By default, the order of groups is that in which their first options were declared.
    help.groupItems = (_declared, shown, groupOf) => Map.groupBy(shown, groupOf)
    return help
  }

  override error(said: string, options?: Parameters<Command['error']>[1]): never {
    const taken = new Set(this.options.map(({ long }) => long))
    const words = parserError(said, pathOf(this), taken)
    return super.error(
      taken.has('--session') ? words.replace(ONE_ID, '$1; for one session, add --session $2') : words,
      options,
    )
  }

  /** Adds an option. If its value was forgotten, it does not take the option after it for one. */
  override addOption(option: Option): this {
    const { parseArg: parse, long } = option
    if (!option.required || option.variadic) return super.addOption(option)
    return super.addOption(
      option.argParser((text: string, before: unknown): unknown => {
        const isNext = this.options.some((other) => other.long === text) && !process.argv.includes(`${long}=${text}`)
        if (isNext) this.error(`error: option '${long}' argument missing`, { code: 'commander.optionMissingArgument' })
        return parse === undefined ? text : parse(text, before as never)
      }),
    )
  }

  override createCommand(name?: string): ExampleCommand {
    return new ExampleCommand(name)
  }

  /** Adds the command that an example uses: `aspy team invite Ada` uses the command `invite` of `aspy team`. */
  shown(example: string, description: string): ExampleCommand {
    const [, ...words] = example.split(' ')
    if (this.parent !== null) this.helpCommand(...HELP_COMMAND)
    const command = this.command((this.parent === null ? words[0] : words[1]) ?? '').description(description)
    command.example = example
    return command.addHelpText('after', `\nExample:\n  ${example}`)
  }
}

/** One word too many, which looks like an id. */
const ONE_ID = /(too many words: ((?=\S*\d)[\w-]+)); see \S.*$/

/** Returns the words that a command is called by: `aspy team invite`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
