-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.

DROP INDEX events_limits;
CREATE INDEX events_limits ON events (coalesce(json_extract(payload, '$.organization'), user_id), ts_wall, id) WHERE kind = 'rate_limit';
