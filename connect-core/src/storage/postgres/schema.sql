CREATE TABLE IF NOT EXISTS connect_rows (
    key bytea PRIMARY KEY,
    -- NULL while a key without a value is locked; to everybody else there is no such row.
    value bytea
);

-- Checks what a commit expects, or several commits of different guards, then writes. Returns the guards
-- that are not as they were: when there are any, nothing is written. Fails with CN001 when anything else
-- is not as it was, so that the database takes back what was written.
--
-- The keys of each array come in ascending order: of two commits that want the same rows, one waits for the
-- other. Several commits do not wait for a row that is only expected, nor for a guard: others would have to wait
-- for all of them. A row that they cannot lock at once is taken for one that is not as it was.
-- The name ends with the number of the oldest program that may call it. A program that raises this number
-- removes the function of those before, which write no more from that moment on.
CREATE OR REPLACE FUNCTION connect_commit_{oldest}(
    are_shared boolean,
    guards bytea[], guards_were bytea[], guards_become bytea[],
    kept_keys bytea[], kept_values bytea[],
    replaced_keys bytea[], replaced_were bytea[], replaced_values bytea[],
    taken_keys bytea[], taken_values bytea[],
    created_keys bytea[], created_values bytea[],
    new_keys bytea[], new_values bytea[],
    put_keys bytea[], put_values bytea[],
    removed_keys bytea[]
) RETURNS bytea[] LANGUAGE plpgsql AS $$
DECLARE
    done bigint;
    free bytea[];
BEGIN
    IF NOT are_shared AND array_length(guards, 1) = 1 THEN
        IF guards_were[1] IS NULL THEN
            WITH written AS (
                INSERT INTO connect_rows AS r (key, value) VALUES (guards[1], guards_become[1])
                ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE r.value IS NULL
                RETURNING 1
            ) SELECT count(*) INTO done FROM written;
        ELSE
            WITH written AS (
                UPDATE connect_rows SET value = guards_become[1]
                WHERE key = guards[1] AND value = guards_were[1]
                RETURNING 1
            ) SELECT count(*) INTO done FROM written;
        END IF;
        IF done = 0 THEN
            RETURN guards;
        END IF;
    ELSIF array_length(guards, 1) > 0 THEN
        SELECT array_agg(key) INTO free FROM (
            SELECT r.key FROM unnest(guards, guards_were) AS g (key, was)
            JOIN connect_rows r ON r.key = g.key AND r.value = g.was
            ORDER BY r.key FOR UPDATE OF r SKIP LOCKED
        ) AS locked;
        IF free IS NULL THEN
            RETURN guards;
        END IF;
        IF array_length(free, 1) <> array_length(guards, 1) THEN
            RETURN ARRAY(SELECT g.key FROM unnest(guards) AS g (key) WHERE g.key <> ALL (free));
        END IF;
        UPDATE connect_rows r SET value = g.becomes
        FROM unnest(guards, guards_become) AS g (key, becomes) WHERE r.key = g.key;
    END IF;

    IF array_length(kept_keys, 1) > 0 THEN
        IF are_shared THEN
            SELECT count(*) INTO done FROM (
                SELECT 1 FROM unnest(kept_keys, kept_values) AS e (key, value)
                JOIN connect_rows r ON r.key = e.key AND r.value = e.value
                ORDER BY r.key FOR SHARE OF r SKIP LOCKED
            ) AS kept;
        ELSE
            SELECT count(*) INTO done FROM (
                SELECT 1 FROM unnest(kept_keys, kept_values) AS e (key, value)
                JOIN connect_rows r ON r.key = e.key AND r.value = e.value
                ORDER BY r.key FOR SHARE OF r
            ) AS kept;
        END IF;
        IF done <> array_length(kept_keys, 1) THEN
            RAISE EXCEPTION 'a row is not as it was' USING ERRCODE = 'CN001';
        END IF;
    END IF;

    IF array_length(replaced_keys, 1) > 0 THEN
        WITH written AS (
            UPDATE connect_rows r SET value = e.value
            FROM unnest(replaced_keys, replaced_were, replaced_values) AS e (key, was, value)
            WHERE r.key = e.key AND r.value = e.was
            RETURNING 1
        ) SELECT count(*) INTO done FROM written;
        IF done <> array_length(replaced_keys, 1) THEN
            RAISE EXCEPTION 'a row is not as it was' USING ERRCODE = 'CN001';
        END IF;
    END IF;

    IF array_length(taken_keys, 1) > 0 THEN
        WITH written AS (
            DELETE FROM connect_rows r USING unnest(taken_keys, taken_values) AS e (key, value)
            WHERE r.key = e.key AND r.value = e.value
            RETURNING 1
        ) SELECT count(*) INTO done FROM written;
        IF done <> array_length(taken_keys, 1) THEN
            RAISE EXCEPTION 'a row is not as it was' USING ERRCODE = 'CN001';
        END IF;
    END IF;

    IF array_length(created_keys, 1) > 0 OR array_length(new_keys, 1) > 0 THEN
        -- ON CONFLICT takes half as long again for a row that is not there. It is for the rows that are.
        BEGIN
            INSERT INTO connect_rows (key, value)
            SELECT e.key, e.value FROM unnest(created_keys, created_values) AS e (key, value)
            UNION ALL
            SELECT e.key, e.value FROM unnest(new_keys, new_values) AS e (key, value);
        EXCEPTION WHEN unique_violation THEN
            WITH written AS (
                INSERT INTO connect_rows AS r (key, value)
                SELECT e.key, e.value FROM unnest(created_keys, created_values) AS e (key, value)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE r.value IS NULL
                RETURNING 1
            ) SELECT count(*) INTO done FROM written;
            IF done < array_length(created_keys, 1) THEN
                RAISE EXCEPTION 'a row is there already' USING ERRCODE = 'CN001';
            END IF;
            INSERT INTO connect_rows (key, value)
            SELECT e.key, e.value FROM unnest(new_keys, new_values) AS e (key, value)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value;
        END;
    END IF;

    IF array_length(put_keys, 1) > 0 THEN
        INSERT INTO connect_rows (key, value)
        SELECT e.key, e.value FROM unnest(put_keys, put_values) AS e (key, value)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value;
    END IF;

    -- The scan of the index is in ascending order, whatever the order of the array.
    IF array_length(removed_keys, 1) > 0 THEN
        DELETE FROM connect_rows WHERE key = ANY (removed_keys);
    END IF;

    RETURN '{}';
END
$$;
