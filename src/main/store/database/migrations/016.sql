-- Calls of a session's subagents, without reading all of its calls.
CREATE INDEX tool_calls_of_agents ON tool_calls (session_id, timestamp, id, agent_id) WHERE agent_id IS NOT NULL;
