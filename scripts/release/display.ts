type Command = readonly [string, ...string[]]

/** Returns the command with a display around it, which a runner with Linux lacks. */
export function onDisplay(...command: Command): Command {
  return process.platform === 'linux' ? ['dbus-run-session', '--', 'xvfb-run', '-a', ...command] : command
}
