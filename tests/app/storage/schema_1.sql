-- A database as schema 1 wrote it. Never edit: it stands for the files people have.
BEGIN TRANSACTION;
CREATE TABLE conversations (
            id TEXT PRIMARY KEY NOT NULL,
            title TEXT NOT NULL,
            title_folded TEXT NOT NULL,
            system_prompt TEXT NOT NULL,
            draft TEXT NOT NULL,
            created_at_us INTEGER NOT NULL,
            updated_at_us INTEGER NOT NULL,
            deleted_at_us INTEGER
        );
INSERT INTO "conversations" VALUES('c','Fähre','fähre','Be brief.','And',1772366400000000,1772366400000000,NULL);
CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY,
            message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            thinking TEXT NOT NULL,
            token_ns BLOB NOT NULL
        );
INSERT INTO "journal" VALUES(1,'a3','half','',X'7801636562400100007E0008');
CREATE TABLE messages (
            sequence INTEGER PRIMARY KEY,
            id TEXT UNIQUE NOT NULL,
            conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            content TEXT NOT NULL,
            thinking TEXT NOT NULL,
            created_at_us INTEGER NOT NULL,
            model TEXT NOT NULL,
            state TEXT NOT NULL,
            superseded_at_us INTEGER
        );
INSERT INTO "messages" VALUES(1,'q','c','user',X'48616C662061206368617261637465723A20EDA0BD','',1772366400000000,'','complete',NULL);
INSERT INTO "messages" VALUES(2,'a1','c','assistant','First','Hm.',1772366400000000,'SmolLM2','complete',1795967894665637);
INSERT INTO "messages" VALUES(3,'a2','c','assistant','Second','Hm.',1772366400000000,'SmolLM2','complete',NULL);
INSERT INTO "messages" VALUES(4,'a3','c','assistant','','',1772366400000000,'','streaming',NULL);
CREATE TABLE summaries (
            sequence INTEGER PRIMARY KEY,
            id TEXT UNIQUE NOT NULL,
            conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            covers_until TEXT NOT NULL,
            tokens_before INTEGER,
            tokens_after INTEGER,
            created_at_us INTEGER NOT NULL,
            undone INTEGER NOT NULL
        );
INSERT INTO "summaries" VALUES(1,'s','c','Short.','q',100,20,1772366400000000,1);
CREATE TABLE turns (
            message_id TEXT PRIMARY KEY NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            submitted_ns INTEGER NOT NULL,
            started_ns INTEGER,
            tokenised_ns INTEGER,
            prefill_started_ns INTEGER,
            prefill_done_ns INTEGER,
            token_ns BLOB NOT NULL,
            finished_ns INTEGER,
            prompt_tokens INTEGER,
            cached_tokens INTEGER,
            completion_tokens INTEGER NOT NULL,
            cache_miss TEXT NOT NULL,
            context_tokens INTEGER,
            n_ctx INTEGER,
            finish_reason TEXT,
            error TEXT NOT NULL,
            seed INTEGER,
            ttft_s REAL,
            tpot_s REAL,
            memory BLOB NOT NULL,
            model_name TEXT NOT NULL,
            model_path TEXT NOT NULL,
            settings_json TEXT NOT NULL
        );
INSERT INTO "turns" VALUES('a1',1000,2000,3000,4000,1004000,X'78016368008229D380C07406109433E00000FEB507F9',9000000000,120,100,5,'The turn before was edited.',125,4096,'stop','An error.',4294967295,1.999999,0.01,X'780163A86D660003761D86338C0C0CFF19183EF101058C19CEDC6560D8CFE0A05DC290C020CCF0661103032BC32F306664F8C703D203540BC708164814370F0041821878','SmolLM2 135M','/models/模型.gguf','{"n_ctx": 4096}');
INSERT INTO "turns" VALUES('a2',1000,2000,3000,4000,1004000,X'78016368008229D380C07406109433E00000FEB507F9',9000000000,120,100,5,'The turn before was edited.',125,4096,'stop','An error.',4294967295,1.999999,0.01,X'780163A86D660003761D86338C0C0CFF19183EF101058C19CEDC6560D8CFE0A05DC290C020CCF0661103032BC32F306664F8C703D203540BC708164814370F0041821878','SmolLM2 135M','/models/模型.gguf','{"n_ctx": 4096}');
CREATE INDEX messages_of_conversation ON messages (conversation_id, superseded_at_us);
CREATE INDEX messages_streaming ON messages (sequence) WHERE state = 'streaming';
CREATE INDEX summaries_of_conversation ON summaries (conversation_id);
CREATE INDEX journal_of_message ON journal (message_id);
COMMIT;
PRAGMA user_version = 1;
